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
static int specifiers_from(int i)
{
    for (int then; then = next(i), t[i].kind != EDGE;) {
        if (is_word(i, " template ") && is(then, "<"))
            i = next(angle_partner(then, 1));
        else if (is_word(i, " extern ") && t[then].kind == LITERAL)
            i = next(then);
        else if (is_word(i, " __extension__ "))
            i = then;
        else if (is(i, "["))
            i = next(partner(i, 1));
        else if (t[i].kind == WORD && is(then, ":") && !is(then + 1, ":"))
            i = next(then);
        else
            break;
    }
    return i;
}

/* The ( of the parameters of the function or operator. */
static int parameters_of(int name)
{
    int open = next(name);

    if (is_word(name, " operator "))
        open = is(open, "(") ? next(partner(open, 1)) : find(open, "(");
    return open;
}

/* Does the function go on so behind its parameters: const noexcept { … }? */
static bool has_body(int behind)
{
    return is(find(behind, ";{"), "{");
}

/* Sets *d if a function or a variable that is no member of objects is declared from token i on.
 * Functions that are = default, = delete or = 0 are left out. */
static bool is_declaration(int i, struct declaration *d)
{
    int before = previous(i);

    if (t[i].kind == BLANK || !(t[before].kind == EDGE || is(before, ";{}")) ||
        statement_start(i) != i)
        return false;
    int first = specifiers_from(i), end = declarator_end(previous(first));
    if (is(end, "{") && has_word(first, end, class_words)) /* struct S { … } s; */
        end = declarator_end(partner(end, 1));
    int name = is_word(end, " operator ") ? end : previous(end), class = class_around(i);
    if (is(name, ">")) /* a specialisation: f<int>( */
        name = previous(angle_partner(name, -1));
    bool function = name == end || is(end, "(");
    bool constructor = class && (is(previous(name), "~") || same_word(name, class));
    int behind = next(function ? partner(parameters_of(name), 1) : name);
    *d = (struct declaration){first, name, class, behind, function};
    if (t[name].kind != WORD || t[name].system || !(class || is_outside(i)) ||
        has_word(first, end, no_marks))
        return false;
    if (!function) /* and no class: struct S : B { */
        return (!class || has_word(first, name, " static ")) && first < name &&
               (names_it(i, name) || is(previous(name), "}")) &&
               is(end, has_word(first, name, class_words) ? "=,;[" : "=,;[{");
    if (is(find(behind, "=;{:"), "=") || (has_word(first, name, " friend ") && !has_body(behind)))
        return false;
    return name == end ||
           ((constructor || first < name) && !is_word(name, no_types) && !is_word(name, " main ") &&
            !is_word(name, words_with_arguments) && !is(next(end), "*&") /* int (*f)(int) */);
}

/* Is it for the host alone? The device may use a constant's value, but no array of constants; and
 * constexpr functions with --expt-relaxed-constexpr. */
static bool is_of_host(const struct declaration *d, bool relaxed)
{
    int start = d->specifiers, behind = d->behind;
    bool fixed = has_word(start, d->name, " constexpr ");
    bool constant = fixed || (has_word(start, d->name, " const ") &&
                              !is(previous(d->name), d->function ? "*&" : "*"));

    if (has_word(start, d->name, device_words) || has_word(start, d->name, memory_words))
        return false;
    if (d->function) /* a constant without a body may be a variable: const int n(3); */
        return !(constant && !is_word(d->name, " operator ") && !has_body(behind)) &&
               !has_word(start, d->name, relaxed ? " constexpr consteval " : " consteval ");
    if (d->class && fixed)
        return false; /* its elements may be constants */
    return (!constant || is(behind, "[")) &&
           !has_word(behind, find(behind, ";{"), device_words); /* = [] __device__ … */
}

/* Are these the same name, or the same operator? */
static bool same_name(int a, int b)
{
    if (!is_word(a, " operator ") || !same_word(a, b))
        return same_word(a, b) && is(a - 1, "~") == is(b - 1, "~");
    for (a = next(a), b = next(b); !is(a, "(") || !is(b, "("); a++, b++)
        if (t[a].length != t[b].length || strncmp(t[a].text, t[b].text, t[a].length) != 0)
            return false;
    return true;
}

/* May both declare the same function or variable? Two with bodies do not. */
static bool may_be_same(const struct declaration *a, const struct declaration *b)
{
    return same_name(a->name, b->name) &&
           !(a->class && b->class && !same_word(a->class, b->class)) &&
           !(a->function && b->function && has_body(a->behind) && has_body(b->behind));
}

/* Does the device's code use the name in an operand that is not evaluated, or in a constant
 * expression? But the value of a constexpr variable may not call a function of the host's. */
static bool is_only_named(const struct declaration *d)
{
    for (int i = t[d->name].word; i; i = t[i].again) {
        int start = statement_start(i);
        bool fixed =
            has_word(start, i, " constexpr ") && !(d->function && is_word(start, " constexpr "));
        if ((fixed || is_unevaluated(i)) && enclosed_by(i, device_words))
            return true;
    }
    return false;
}

/* May the declaration be one of the C library's or of CUDA's headers, repeated? */
static bool is_of_library(int name)
{
    return is_named(name, ~HEADER_OTHER) && !is_word(name, " operator ");
}

/* Puts the mark in front of a declaration. */
static void mark(const struct declaration *d)
{
    int end = d->name + 1, begin = is(d->name - 1, "~") ? d->name - 1 : d->name;

    while (is_word(d->name, " operator ") && !is(end, "(") && t[end].kind != EDGE)
        end++;
    if (d->function)
        append(d->specifiers,
               "__attribute__((deprecated(\"calling a __host__ function(\\\"%.*s\\\") from device "
               "code is not allowed; want __device__ in front of it\"))) ",
               (int)(t[end].text - t[begin].text), t[begin].text);
    else
        append(d->specifiers, "__attribute__((deprecated(\"host variable\"))) ");
}

void mark_hosts(bool relaxed)
{
    struct declaration d, *all = NULL;
    int count = 0, devices = 0; /* the device's, which stand in front */

    for (int i = 1; i < edge; i++) {
        if (!is_declaration(i, &d))
            continue;
        all = resize(all, (size_t)(count + 1) * sizeof *all);
        all[count] = all[devices];
        all[is_of_host(&d, relaxed) ? count : devices++] = d;
        count++;
    }
    for (const struct declaration *host = all + devices; host < all + count; host++) {
        bool certain = !qualifier(host->name) &&
                       (!host->function || host->class || !is_of_library(host->name)) &&
                       !is_only_named(host);
        for (const struct declaration *other = all; other < all + devices && certain; other++)
            certain = !may_be_same(host, other);
        if (certain)
            mark(host);
    }
    free(all);
}

/* ---- the device's functions ---- */

/* Puts a line with a directive in front of token i, which keeps its own line and column. */
static void put_directive(int i, const char *directive)
{
    int column = 0;

    while (t[i].text - column > t[0].text && t[i].text[-column - 1] != '\n')
        column++;
    append(i, "\n#pragma GCC diagnostic %s\n# %ld \"%s\"\n%*s", directive, t[i].line, t[i].file,
           column, "");
}

/* Does the brace at i begin the body of the function of this word, and no value: S() : a{1} { … }
 */
static bool is_body(int word, int i)
{
    int end = declarator_end(word), name = previous(i);
    bool function = is(end, "(") || is_word(end, " operator ");

    return function && t[i].around < word && !is(name, "=,(>]") &&
           !(t[name].kind == WORD && is(previous(name), ":,"));
}

void refuse_hosts(int i)
{
    bool brace = is(i, "{") && !t[i].system;
    int first = next(i), word = brace ? enclosed_by(first, device_words) : 0;

    if (!word || !is_body(word, i))
        return;
    int of = enclosed_by(first, " template ");
    bool in_template = of && !is(next(next(of)), ">"); /* template <> is none */
    int open = declarator_end(word), colon = find(partner(open, 1), ":{");
    bool constructor = (is(colon, ":") && !is(colon + 1, ":")) || /* S() : a(1) { … } */
                       same_word(previous(open), class_around(word));
    constructor = constructor && !in_template;
    int start = constructor ? statement_start(word) : i + 1;
    put_directive(start, "push");
    put_directive(start, "error \"-Wvla\"");
    if (!enclosed_by(first, host_words))
        put_directive(start, in_template ? "warning \"-Wdeprecated-declarations\""
                                         : "error \"-Wdeprecated-declarations\"");
    put_directive(t[i].partner + constructor, "pop");
}
