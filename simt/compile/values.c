/* Rewrites casts of numbers to integers, and shifts, in the device's code: where C++ leaves the
 * result open, functions of include/cuda_runtime.h compute what a GPU computes. */
#include "compile/rewrite.h"

#include <string.h>

static const char integers[] = " const char short int long signed unsigned size_t ssize_t "
                               "ptrdiff_t int8_t int16_t int32_t int64_t "
                               "uint8_t uint16_t uint32_t uint64_t uint ushort ulong uchar ";
static const char reals[] = " float double ";

/* Are there tokens between these two, and is each a word of the list? */
static bool all_words(const struct token *t, int open, int close, const char *list)
{
    int i = next(t, open);

    if (i >= close)
        return false;
    while (i < close && is_word(t, i, list))
        i = next(t, i);
    return i == close;
}

/* Does the source give the word at i to what may be a type of numbers: an enum, a template
 * parameter, a typedef or one of using? A header's T says nothing of a variable T here. */
static bool names_type(const struct token *t, int i)
{
    int before = previous(t, i);

    return t[i].kind == WORD && !t[i].system &&
           (is_word(t, before, " enum ") ||
            (is_word(t, before, " typename class ") && is(t, previous(t, before), "<,")) ||
            (is_word(t, before, " using ") && is(t, next(t, i), "=")) ||
            (is(t, next(t, i), ";") && is_word(t, statement_start(t, i), " typedef ")));
}

/* The tokens that names_type() is true of, with a 0 behind them. They are gathered once, since a
 * large source asks for each of its calls. */
static const int *type_names(const struct token *t)
{
    static int *all;
    size_t count = 0;

    if (all)
        return all;
    for (int i = 1; t[i].kind != EDGE; i++) {
        if (!names_type(t, i))
            continue;
        all = resize(all, (count + 1) * sizeof *all);
        all[count++] = i;
    }
    all = resize(all, (count + 1) * sizeof *all);
    all[count] = 0;
    return all;
}

/* Does the name of a type still hold at i? A template's parameter ends with the declaration. */
static bool holds(const struct token *t, int name, int i)
{
    int end = next(t, name);

    if (!is_word(t, previous(t, name), " typename class "))
        return true;
    while (end < i && !is(t, end, ";{"))
        end = next(t, is(t, end, "(") ? partner(t, end, 1) : end);
    return end >= i || (is(t, end, "{") && partner(t, end, 1) > i);
}

/* Is the word at i the name that the source may have given to a type of numbers? */
static bool may_be_integer(const struct token *t, int i)
{
    for (const int *name = type_names(t); *name != 0 && *name < i; name++)
        if (same_word(&t[*name], &t[i]) && holds(t, *name, i))
            return !is_word(t, i, no_types);
    return false;
}

/* Do the tokens between these two name a type to which a GPU may convert numbers differently? */
static bool is_integer(const struct token *t, int open, int close)
{
    int name = next(t, open);

    return all_words(t, open, close, integers) ||
           (next(t, name) == close && may_be_integer(t, name));
}

/* Do two equal characters of the set begin at i? */
static bool is_double(const struct token *t, int i, const char *set)
{
    return is(t, i, set) && is(t, i + 1, set) && *t[i].text == *t[i + 1].text;
}

/* Is the parenthesis at i a cast to one of the language's number types? */
static bool is_cast(const struct token *t, int i)
{
    int close = partner(t, i, 1), then = next(t, close), before = previous(t, i);
    bool type = is_integer(t, i, close) || all_words(t, i, close, reals);
    bool operand = t[then].kind == LITERAL || is(t, then, "(-+!~*&:") ||
                   (t[then].kind == WORD && !is_word(t, then, " const noexcept override "));

    if (!is(t, i, "(") || !type || !operand)
        return false;
    if (is(t, before, ")")) /* (float)(int)x */
        return is_cast(t, partner(t, before, -1));
    if (is(t, before, ">") && is(t, angle_partner(t, before, -1), "<"))
        return false;
    return !is(t, before, "]}") &&
           (t[before].kind != WORD || is_word(t, before, " return case else do "));
}

/* Does the word at i name a type, as far as the source shows? */
static bool is_type(const struct token *t, int i)
{
    size_t length = t[i].length;

    if (is_word(t, i, integers) || is_word(t, i, reals) ||
        (length > 2 && strncmp(t[i].text + length - 2, "_t", 2) == 0))
        return true;
    for (int k = i - 1; k > 0; k--)
        if (same_word(&t[k], &t[i]) && !t[k].system &&
            (is_word(t, previous(t, k), " struct class union enum typename using ") ||
             is_word(t, statement_start(t, k), " typedef ")))
            return true;
    return false;
}

/* The last token of the operand at i, with prefix and postfix operators; 0: that is not certain. */
static int operand_end(const struct token *t, int i)
{
    while (is(t, i, "+-*&!~") || (is(t, i, ":") && is(t, i + 1, ":")))
        i = next(t, is(t, i, ":") ? i + 1 : i);
    int end = partner(t, i, 1), then = next(t, end), inside = next(t, i);

    if (is(t, i, "(") && (is_cast(t, i) || (next(t, inside) == end && is_type(t, inside))))
        return operand_end(t, then);
    bool sign = is_word(t, i, no_types) && !is(t, then = next(t, i), "("); /* sizeof x */
    if (sign || (t[i].kind != WORD && t[i].kind != LITERAL && !is(t, i, "(")))
        return 0;
    for (end = is(t, i, "(") ? end : i;; end = is(t, then, "([") ? partner(t, then, 1) : then) {
        then = next(t, end);
        bool arrow = is(t, then, "-") && is(t, then + 1, ">");
        if (t[then].kind == WORD || t[then].kind == LITERAL || is(t, then, "{"))
            return 0; /* T{} */
        if (is(t, then, "."))
            then = next(t, then);
        else if (arrow || (is(t, then, ":") && is(t, then + 1, ":")))
            then = next(t, then + 1);
        else if (is_double(t, then, "+-"))
            then++;
        else if (is(t, then, "<") && is(t, next(t, angle_partner(t, then, 1)), "({:;),]")) {
            int close = angle_partner(t, then, 1);
            for (; then < close; then = next(t, partner(t, then, 1)))
                if (is(t, next(t, close), "{") || is(t, then, "?") || is_double(t, then, "&|"))
                    return 0; /* A<T>{}, or x < y && z > (0) */
        } else if (!is(t, then, "(["))
            return end;
    }
}

/* Adds a ) behind token i; false: there is no room for it. */
static bool close_behind(struct token *t, int i)
{
    static const char many[] = "))))))))";
    size_t there = t[i].after ? strlen(t[i].after) : 0;

    if (there == sizeof many - 1 || (there > 0 && *t[i].after != ')'))
        return false;
    t[i].after = many + sizeof many - 2 - there;
    return true;
}

/* static_cast<int>(x), int(x), (int)x */
static void rewrite_cast(struct token *t, int i)
{
    int then = next(t, i), before = previous(t, i), close = partner(t, i, 1), end;

    if (is_word(t, i, " static_cast ") && is(t, then, "<") &&
        is_integer(t, then, angle_partner(t, then, 1))) {
        t[i].instead = "::simt::cast";
    } else if (is(t, then, "(") && (is_word(t, i, integers) || may_be_integer(t, i)) &&
               (is(t, before, "=+-*/%|^&?,([") || is_word(t, before, " return ")) &&
               !is(t, next(t, then), "*&)") /* int (*p)[4] */ &&
               is(t, find(t, next(t, then), ",)"), ")") &&
               !all_words(t, then, partner(t, then, 1), integers)) {
        append(t, i, "::simt::cast<");
        t[i].after = ">";
    } else if (is(t, i, "(") && is_integer(t, i, close) && is_cast(t, i) &&
               (end = operand_end(t, next(t, close))) && close_behind(t, end)) {
        t[i].instead = "::simt::cast<";
        t[close].instead = ">(";
    }
}

/* Do two operands stand beside the operator at i? */
static bool is_binary(const struct token *t, int i)
{
    int before = previous(t, i);

    return t[before].kind == LITERAL || is(t, before, ")]") ||
           (t[before].kind == WORD && !is_word(t, before, no_types));
}

/* Is it a << or >> of two numbers, as far as the source shows? A literal count needs no help. */
static bool is_shift(const struct token *t, int i)
{
    int count = next(t, i + 1);
    bool literal = t[count].kind == LITERAL && !is(t, next(t, count), "+-*/%");

    return is_double(t, i, "<>") && !is(t, i + 2, "<>=") && !is(t, i - 1, "<>") &&
           is_binary(t, i) && !literal &&
           (is(t, i, "<") || !is(t, angle_partner(t, i + 1, -1), "<"));
}

/* The token in front of the product whose last * is at i. */
static int product_start(const struct token *t, int i)
{
    for (i = previous(t, i);; i = previous(t, i)) {
        if (is(t, i, ")]"))
            i = partner(t, i, -1);
        else if (is(t, i, ">") && is(t, i - 1, "-"))
            i--; /* p->x */
        else if (is(t, i, ">") && is(t, angle_partner(t, i, -1), "<"))
            i = angle_partner(t, i, -1);
        else if (is(t, i, "+-=,;?:<>&|^!~%([{") || t[i].kind == EDGE || is_word(t, i, no_types))
            return i;
    }
}

/* Is the product behind token `before`, up to `then`, added to something, or subtracted? */
static bool is_summed(const struct token *t, int before, int then)
{
    static const char sums[] = " __hadd __hadd2 __hsub __hsub2 ";

    while (is(t, then, ")") && partner(t, then, -1) == before && !is_binary(t, before)) {
        then = next(t, then); /* -(a * b) */
        before = previous(t, before);
        if (is(t, before, "-") && !is_binary(t, before))
            before = previous(t, before);
    }
    if (is(t, then, ",)") && is(t, before, "(,") &&
        is_word(t, previous(t, is(t, then, ")") ? partner(t, then, -1) : t[then].around), sums))
        return true;
    if (is(t, then, "*/%+-"))
        return is(t, then, "+-") && !is(t, then + 1, "=");
    return is(t, before, "=") ? is(t, before - 1, "+-")
                              : is(t, before, "+-") && is_binary(t, before);
}

void rewrite_product(struct token *t, int i)
{
    int before = previous(t, i), end = 0;
    bool cast = is(t, before, ")") && is_cast(t, partner(t, before, -1));
    bool call = is_word(t, i, " __hmul __hmul2 ") && is(t, next(t, i), "(");

    if (call)
        end = partner(t, next(t, i), 1);
    else if (is(t, i, "*") && is_binary(t, i) && !cast)
        end = operand_end(t, next(t, i));
    if (end && is_summed(t, call ? before : product_start(t, i), next(t, end)) &&
        enclosed_by(t, i, device_words))
        t[i].instead = call ? "::simt::product_of" : "*::simt::fuse->*";
}

void rewrite_values(struct token *t, int i, bool bit_fields)
{
    int first, end;

    if (!is(t, i, "(<>") && t[i].kind != WORD)
        return;
    if (!enclosed_by(t, i, device_words))
        return;
    rewrite_cast(t, i);
    if (!bit_fields && is_double(t, i, "<>") && is(t, i + 2, "=") && !is(t, i - 1, "<>")) {
        first = next(t, i + 2);
        end = previous(t, find(t, first, ",;)]}<"));
        if (is(t, next(t, end), "<") || (end == first && t[first].kind == LITERAL) ||
            is_word(t, previous(t, i), " operator ") || !close_behind(t, end))
            return;
        append(t, first, "::simt::by(");
    } else if (is_shift(t, i)) {
        t[i].instead = is(t, i, "<") ? "<<::simt::shift<" : ">>::simt::shift>";
        t[i + 1].instead = is(t, i, "<") ? "<" : ">";
    }
}
