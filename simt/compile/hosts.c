/* Marks what the source declares for the host alone, and has g++ refuse it in the device's
 * functions: what a name means there, by scopes, overloads and conversions, g++ knows.
 *
 *     int helper(int x);        __attribute__((deprecated("…"))) int helper(int x);
 *     __device__ void f() {     on lines of their own behind the brace:
 *                               #pragma GCC diagnostic error "-Wdeprecated-declarations"
 *     template <…> __device__ … the same with a warning: only those of instances count (simtcc)
 *
 * simtcc turns g++'s words into nvcc's. Only what is certain is marked: no name that is declared
 * for the device, too, in the same class or outside of all, or that CUDA's headers or the C library
 * have; and none that the device uses in an operand of sizeof or decltype, which nvcc takes, or in
 * a constant expression. */
#include "compile/rewrite.h"

#include <stdlib.h>
#include <string.h>

/* What has one of these is no declaration of a function or variable, or has no place for an
 * attribute. */
static const char no_marks[] = " requires concept template typedef using namespace static_assert ";

struct declaration {
    int specifiers; /* the first one's token */
    int name;       /* or the word operator */
    int class;      /* the name of the class around it, or 0 */
    int behind;     /* the token behind the name, or behind the function's parameters */
    bool function;
};

/* The token behind what may stand in front of a declaration's specifiers: template <…>, extern "C",
 * __extension__, [[…]] and labels. */
static int specifiers_from(const struct token *t, int i)
{
    for (int then; then = next(t, i), t[i].kind != EDGE;) {
        if (is_word(t, i, " template ") && is(t, then, "<"))
            i = next(t, angle_partner(t, then, 1));
        else if (is_word(t, i, " extern ") && t[then].kind == LITERAL)
            i = next(t, then);
        else if (is_word(t, i, " __extension__ "))
            i = then;
        else if (is(t, i, "["))
            i = next(t, partner(t, i, 1));
        else if (t[i].kind == WORD && is(t, then, ":") && !is(t, then + 1, ":"))
            i = next(t, then);
        else
            break;
    }
    return i;
}

/* The ( of the parameters of the function or operator. */
static int parameters_of(const struct token *t, int name)
{
    int open = next(t, name);

    if (is_word(t, name, " operator "))
        open = is(t, open, "(") ? next(t, partner(t, open, 1)) : find(t, open, "(");
    return open;
}

/* Does the function go on so behind its parameters: const noexcept { … }? */
static bool has_body(const struct token *t, int behind)
{
    return is(t, find(t, behind, ";{"), "{");
}

/* Sets *d if a function or a variable that is no member of objects is declared from token i on.
 * Functions that are = default, = delete or = 0 are left out. */
static bool is_declaration(const struct token *t, int i, struct declaration *d)
{
    int before = previous(t, i);

    if (t[i].kind == BLANK || !(t[before].kind == EDGE || is(t, before, ";{}")) ||
        statement_start(t, i) != i)
        return false;
    int first = specifiers_from(t, i), end = declarator_end(t, previous(t, first));
    if (is(t, end, "{") && has_word(t, first, end, class_words)) /* struct S { … } s; */
        end = declarator_end(t, partner(t, end, 1));
    int name = is_word(t, end, " operator ") ? end : previous(t, end), class = class_around(t, i);
    if (is(t, name, ">")) /* a specialisation: f<int>( */
        name = previous(t, angle_partner(t, name, -1));
    bool function = name == end || is(t, end, "(");
    bool constructor = class && (is(t, previous(t, name), "~") || same_word(&t[name], &t[class]));
    int behind = next(t, function ? partner(t, parameters_of(t, name), 1) : name);
    *d = (struct declaration){first, name, class, behind, function};
    if (t[name].kind != WORD || t[name].system || !(class || is_outside(t, i)) ||
        has_word(t, first, end, no_marks))
        return false;
    if (!function) /* and no class: struct S : B { */
        return (!class || has_word(t, first, name, " static ")) && first < name &&
               (names_it(t, i, name) || is(t, previous(t, name), "}")) &&
               is(t, end, has_word(t, first, name, class_words) ? "=,;[" : "=,;[{");
    if (is(t, find(t, behind, "=;{:"), "=") ||
        (has_word(t, first, name, " friend ") && !has_body(t, behind)))
        return false;
    return name == end || ((constructor || first < name) && !is_word(t, name, no_types) &&
                           !is_word(t, name, " main ") && !is_word(t, name, words_with_arguments) &&
                           !is(t, next(t, end), "*&") /* int (*f)(int) */);
}

/* Is it for the host alone? The device may use a constant's value, but no array of constants; and
 * constexpr functions with --expt-relaxed-constexpr. */
static bool is_of_host(const struct token *t, const struct declaration *d, bool relaxed)
{
    int start = d->specifiers, behind = d->behind;
    bool fixed = has_word(t, start, d->name, " constexpr ");
    bool constant = fixed || (has_word(t, start, d->name, " const ") &&
                              !is(t, previous(t, d->name), d->function ? "*&" : "*"));

    if (has_word(t, start, d->name, device_words) || has_word(t, start, d->name, memory_words))
        return false;
    if (d->function) /* a constant without a body may be a variable: const int n(3); */
        return !(constant && !is_word(t, d->name, " operator ") && !has_body(t, behind)) &&
               !has_word(t, start, d->name, relaxed ? " constexpr consteval " : " consteval ");
    if (d->class && fixed)
        return false; /* its elements may be constants */
    return (!constant || is(t, behind, "[")) &&
           !has_word(t, behind, find(t, behind, ";{"), device_words); /* = [] __device__ … */
}

/* Are these the same name, or the same operator? */
static bool same_name(const struct token *t, int a, int b)
{
    if (!is_word(t, a, " operator ") || !same_word(&t[a], &t[b]))
        return same_word(&t[a], &t[b]) && is(t, a - 1, "~") == is(t, b - 1, "~");
    for (a = next(t, a), b = next(t, b); !is(t, a, "(") || !is(t, b, "("); a++, b++)
        if (t[a].length != t[b].length || strncmp(t[a].text, t[b].text, t[a].length) != 0)
            return false;
    return true;
}

/* May both declare the same function or variable? Two with bodies do not. */
static bool may_be_same(const struct token *t, const struct declaration *a,
                        const struct declaration *b)
{
    return same_name(t, a->name, b->name) &&
           !(a->class && b->class && !same_word(&t[a->class], &t[b->class])) &&
           !(a->function && b->function && has_body(t, a->behind) && has_body(t, b->behind));
}

/* Does the device's code use the name in an operand that is not evaluated, or in a constant
 * expression? But the value of a constexpr variable may not call a function of the host's. */
static bool is_only_named(const struct source *s, const struct declaration *d)
{
    const struct token *t = s->t;

    for (int i = 1; i < s->count; i++) {
        if (!same_word(&t[i], &t[d->name]))
            continue;
        int start = statement_start(t, i);
        bool fixed = has_word(t, start, i, " constexpr ") &&
                     !(d->function && is_word(t, start, " constexpr "));
        if ((fixed || is_unevaluated(t, i)) && enclosed_by(t, i, device_words))
            return true;
    }
    return false;
}

/* May the declaration be one of the C library's or of CUDA's headers, repeated? */
static bool is_of_library(const struct token *t, int name)
{
    return is_named(t, name, ~HEADER_OTHER) && !is_word(t, name, " operator ");
}

/* Puts the mark in front of a declaration. */
static void mark(struct token *t, const struct declaration *d)
{
    int end = d->name + 1, begin = is(t, d->name - 1, "~") ? d->name - 1 : d->name;

    while (is_word(t, d->name, " operator ") && !is(t, end, "(") && t[end].kind != EDGE)
        end++;
    if (d->function)
        append(t, d->specifiers,
               "__attribute__((deprecated(\"calling a __host__ function(\\\"%.*s\\\") from device "
               "code is not allowed; want __device__ in front of it\"))) ",
               (int)(t[end].text - t[begin].text), t[begin].text);
    else
        append(t, d->specifiers, "__attribute__((deprecated(\"host variable\"))) ");
}

void mark_hosts(const struct source *s, bool relaxed)
{
    struct token *t = s->t;
    struct declaration d, *all = NULL;
    int count = 0, devices = 0; /* the device's, which stand in front */

    for (int i = 1; i < s->count; i++) {
        if (!is_declaration(t, i, &d))
            continue;
        all = resize(all, (size_t)(count + 1) * sizeof *all);
        all[count] = all[devices];
        all[is_of_host(t, &d, relaxed) ? count : devices++] = d;
        count++;
    }
    for (const struct declaration *host = all + devices; host < all + count; host++) {
        bool certain = !qualifier(t, host->name) &&
                       (!host->function || host->class || !is_of_library(t, host->name)) &&
                       !is_only_named(s, host);
        for (const struct declaration *other = all; other < all + devices && certain; other++)
            certain = !may_be_same(t, host, other);
        if (certain)
            mark(t, host);
    }
    free(all);
}

/* ---- the device's functions ---- */

/* Puts a line with a directive in front of token i, which keeps its own line and column. */
static void put_directive(struct token *t, int i, const char *directive)
{
    int column = 0;

    while (t[i].text - column > t[0].text && t[i].text[-column - 1] != '\n')
        column++;
    append(t, i, "\n#pragma GCC diagnostic %s\n# %ld \"%s\"\n%*s", directive, t[i].line, t[i].file,
           column, "");
}

/* Does the brace at i begin the body of the function of this word, and no value: S() : a{1} { … }
 */
static bool is_body(const struct token *t, int word, int i)
{
    int end = declarator_end(t, word), name = previous(t, i);
    bool function = is(t, end, "(") || is_word(t, end, " operator ");

    return function && t[i].around < word && !is(t, name, "=,(>]") &&
           !(t[name].kind == WORD && is(t, previous(t, name), ":,"));
}

void refuse_hosts(struct token *t, int i)
{
    bool brace = is(t, i, "{") && !t[i].system;
    int first = next(t, i), word = brace ? enclosed_by(t, first, device_words) : 0;

    if (!word || !is_body(t, word, i))
        return;
    int of = enclosed_by(t, first, " template ");
    bool in_template = of && !is(t, next(t, next(t, of)), ">"); /* template <> is none */
    int open = declarator_end(t, word), colon = find(t, partner(t, open, 1), ":{");
    bool constructor = (is(t, colon, ":") && !is(t, colon + 1, ":")) || /* S() : a(1) { … } */
                       same_word(&t[previous(t, open)], &t[class_around(t, word)]);
    constructor = constructor && !in_template;
    int start = constructor ? statement_start(t, word) : i + 1;
    put_directive(t, start, "push");
    put_directive(t, start, "error \"-Wvla\"");
    if (!enclosed_by(t, first, host_words))
        put_directive(t, start,
                      in_template ? "warning \"-Wdeprecated-declarations\""
                                  : "error \"-Wdeprecated-declarations\"");
    put_directive(t, t[i].partner + constructor, "pop");
}
