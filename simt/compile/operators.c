/* Operators of the source's own classes that are the host's alone, used in the device's code.
 *
 * The class of an operand is known only where a variable of the same function stands there, which
 * is declared by the class's name. An operator is not judged if the source has the same one for the
 * device, too, of whatever class. */
#include "compile/rewrite.h"

#include <string.h>

/* The tokens `operator` that the source declares operators of its classes with; 0 ends them. */
static const int *operators_of(const struct source *s)
{
    static int *all;
    int count = 0;

    if (all)
        return all;
    all = resize(NULL, (size_t)s->count * sizeof *all);
    for (int i = 1; i < s->count; i++)
        if (is_word(s->t, i, " operator ") && !s->t[i].system &&
            s->t[next(s->t, i)].kind == PUNCTUATION)
            all[count++] = i;
    all[count] = 0;
    return all;
}

/* The number of characters of the operator that is declared at i. [] and () are two. */
static int length_of(const struct token *t, int i)
{
    int sign = next(t, i), length = 1;

    while (t[sign + length].kind == PUNCTUATION && !is(t, sign + length, "("))
        length++;
    return is(t, sign, "[(") ? 2 : length;
}

/* The ( of the parameters of the operator that is declared at i. */
static int parameters_of(const struct token *t, int i)
{
    return next(t, next(t, i) + length_of(t, i) - 1);
}

/* Is the operator that is declared at i the host's alone, and written in the source? */
static bool is_hosts(const struct token *t, int i)
{
    int behind = next(t, partner(t, parameters_of(t, i), 1));

    return !has_word(t, statement_start(t, i), i, device_words) &&
           !has_word(t, statement_start(t, i), i, " constexpr consteval ") &&
           !is(t, find(t, behind, "=;{:"), "="); /* = default */
}

/* Is it the same operator that is declared at these two places? */
static bool same_operator(const struct token *t, int a, int b)
{
    int length = length_of(t, a);

    return length == length_of(t, b) &&
           memcmp(t[next(t, a)].text, t[next(t, b)].text, (size_t)length) == 0;
}

/* The name of the class of the variable at i, as its function declares it; 0: it has none, or that
 * is not known. word: the __device__ or __global__ of the function. *points: it is a pointer or an
 * array. */
static int class_of(const struct token *t, int word, int i, bool *points)
{
    int type = 0;

    for (int k = previous(t, i); k > word && t[i].kind == WORD && !qualifier(t, i) && !type;
         k = previous(t, k)) {
        if (!same_word(&t[k], &t[i]) || !is_declared(t, k) || !holds_at(t, k, i))
            continue;
        *points = is(t, next(t, k), "[");
        for (type = previous(t, k); is(t, type, "*&") || is_word(t, type, " const __restrict__ ");
             type = previous(t, type))
            *points |= is(t, type, "*");
        if (is(t, type, ">"))
            type = previous(t, angle_partner(t, type, -1));
    }
    return type;
}

/* Does the source define a class of this name before? */
static bool is_class(const struct token *t, int name)
{
    int i = name - 1;

    while (i > 0 && !(same_word(&t[i], &t[name]) && !t[i].system &&
                      is_word(t, previous(t, i), " struct class union ")))
        i--;
    return i > 0;
}

/* Does an object of the class that belongs to the operator declared at `of` stand at i? */
static bool is_operand(const struct token *t, int word, int i, bool indexed, int of)
{
    bool points = false;
    int type = class_of(t, word, i, &points), class = class_around(t, of);
    int open = parameters_of(t, of);

    if (!type || t[type].kind != WORD || points != indexed)
        return false;
    if (class && !has_word(t, statement_start(t, of), of, " friend "))
        return same_word(&t[class], &t[type]);
    for (int k = open; k < partner(t, open, 1); k = next(t, k))
        if (same_word(&t[k], &t[type]))
            return is_class(t, type);
    return false;
}

/* Does token i begin the operator that is declared at `of`? */
static bool spells(const struct token *t, int i, int of)
{
    int length = length_of(t, of), sign = next(t, of);

    if (is(t, sign, "[("))
        return *t[i].text == *t[sign].text;
    for (int k = 0; k < length; k++)
        if (t[i + k].kind != PUNCTUATION || *t[i + k].text != *t[sign + k].text)
            return false;
    return !is(t, i - 1, "+-*/%&|^<>=!") && !is(t, i + length, "+-*/%&|^<>=!");
}

/* Is the operator that is declared at `of` used at token i, on an object of its class? An operand
 * counts if nothing else is done with it before. */
static bool uses(const struct token *t, int word, int i, int of)
{
    int length = length_of(t, of), left = previous(t, i);
    bool calls = is(t, i, "[("), indexed = is(t, left, "]");
    bool binary = t[left].kind == LITERAL || is(t, left, ")]") ||
                  (t[left].kind == WORD && !is_word(t, left, no_types));

    left = indexed ? previous(t, partner(t, left, -1)) : left;
    int before = previous(t, left), right = next(t, i + length - 1), then = next(t, right);
    bool begins = is(t, before, "=(,{};[?") || is_word(t, before, " return ");
    if ((begins || calls) && !is_declared(t, left) && is_operand(t, word, left, indexed, of))
        return true;
    indexed = is(t, then, "[");
    then = indexed ? next(t, partner(t, then, 1)) : then;
    return binary && !calls && is(t, then, ";,)]}?") && !is_declared(t, right) &&
           is_operand(t, word, right, indexed, of);
}

const char *operator_of_host(const struct source *s, int i, int *word, int *length)
{
    const struct token *t = s->t;
    const int *all = t[i].kind == PUNCTUATION ? operators_of(s) : NULL, *of = all;

    *word = 0;
    for (; of && *of != 0; of++) {
        if (!spells(t, i, *of) || !is_hosts(t, *of))
            continue;
        if (!*word && !(*word = enclosed_by(t, i, device_words)))
            return NULL;
        if (uses(t, *word, i, *of))
            break;
    }
    if (!of || *of == 0 || is_word(t, previous(t, i), " operator "))
        return NULL;
    for (const int *other = all; *other != 0; other++)
        if (same_operator(t, *of, *other) && !is_hosts(t, *other))
            return NULL;
    *length = (int)(t[next(t, *of)].text - t[*of].text) + length_of(t, *of);
    return t[*of].text;
}
