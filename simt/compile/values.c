/* Finds calls that take structures from memory, or store them there, by the declarations of what is
 * called and by how arguments look. */
#include "compile/values.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 32 };

/* What is known of all functions by one name. */
struct function {
    int name; /* the token */
    uint32_t
        by_value; /* a bit for each parameter that may be a structure, by value in all of them */
    bool returns; /* a structure, perhaps */
};

struct functions {
    struct function *at;
    size_t count;
};

static const char scalars[] =
    " void bool char short int long float double signed unsigned auto size_t int8_t int16_t "
    "int32_t int64_t uint8_t uint16_t uint32_t uint64_t ptrdiff_t clock_t cudaError_t ";
static const char specifiers[] = " const volatile struct class union typename inline static extern "
                                 "constexpr __device__ __simt_host__ register ";
static const char no_types[] = " return else do case goto throw new delete sizeof operator using "
                               "namespace typedef co_return co_await co_yield if while for switch ";

/* Does token i begin a parameter, or end a result's type, that may be a structure? */
static bool may_be_structure(const struct token *t, int first)
{
    while (is_word(t, first, specifiers))
        first = next(t, first);
    return t[first].kind == WORD && !is_word(t, first, scalars);
}

/* The end of what begins at first: the comma behind it, or last. */
static int piece_end(const struct token *t, int first, int last)
{
    for (; first < last && !is(t, first, ","); first = next(t, first)) {
        if (is(t, first, "([{"))
            first = partner(t, first, 1);
        if (is(t, first, "<") && angle_partner(t, first, 1) < last &&
            t[angle_partner(t, first, 1)].kind != EDGE)
            first = angle_partner(t, first, 1);
    }
    return first < last ? first : last;
}

static uint32_t parameters_by_value(const struct token *t, int open, int close)
{
    uint32_t by_value = 0;

    for (int first = next(t, open), n = 0; first < close && n < MOST_PARAMETERS; n++) {
        int end = piece_end(t, first, close);
        bool plain = may_be_structure(t, first);
        for (int i = first; i < end; i = next(t, i))
            plain = plain && !is(t, i, "*&[(.");
        by_value |= (uint32_t)plain << n;
        first = end < close ? next(t, end) : close;
    }
    return by_value;
}

/* Is the word at i the name of a function in a declaration of it? */
static bool is_declared(const struct token *t, int i)
{
    int open = next(t, i), before = previous(t, i);

    if (t[i].kind != WORD || t[i].system || !is(t, open, "(") || !is(t, partner(t, open, 1), ")"))
        return false;
    if (is(t, before, ":") && is(t, before - 1, ":")) /* T Class::name( */
        before = previous(t, previous(t, before - 1));
    return (t[before].kind == WORD && !is_word(t, before, no_types)) || is(t, before, ">*&");
}

static bool returns_structure(const struct token *t, int name)
{
    int before = previous(t, name);

    if (is(t, before, ":"))
        before = previous(t, previous(t, before - 1));
    if (is(t, before, ">"))
        return !is(t, before - 1, "-");
    return t[before].kind == WORD && may_be_structure(t, before);
}

static struct function *find(const struct functions *functions, const struct token *t, int name)
{
    for (size_t i = 0; i < functions->count; i++)
        if (same_word(t, functions->at[i].name, name))
            return &functions->at[i];
    return NULL;
}

static void add(struct functions *functions, const struct token *t, int name)
{
    int open = next(t, name);
    struct function *known = find(functions, t, name);
    struct function found = {name, parameters_by_value(t, open, partner(t, open, 1)),
                             returns_structure(t, name)};

    if (known) {
        known->by_value &= found.by_value;
        known->returns |= found.returns;
        return;
    }
    functions->at = resize(functions->at, (functions->count + 1) * sizeof *functions->at);
    functions->at[functions->count++] = found;
}

/* ---- calls ---- */

static void show(struct token *t, int first, int last)
{
    static const char head[] = "::simt::value(";

    if (t[last].after || t[first].before)
        return;
    t[first].before = strcpy(resize(NULL, sizeof head), head);
    t[last].after = ")";
}

/* Is [first, end) an element of an array, and nothing is done with it? */
static bool is_element(const struct token *t, int first, int end)
{
    int last = previous(t, end);

    if (t[first].kind != WORD || is_word(t, first, no_types) || !is(t, last, "]"))
        return false;
    for (int i = first; i < last; i = next(t, i)) {
        bool arrow = (is(t, i, "-") && is(t, i + 1, ">")) || (is(t, i, ">") && is(t, i - 1, "-"));
        if (is(t, i, "["))
            i = partner(t, i, 1);
        else if (t[i].kind != WORD && !is(t, i, ".") && !arrow)
            return false;
        if (i >= last)
            break;
    }
    return true;
}

static void show_arguments(struct token *t, int open, uint32_t by_value)
{
    int close = partner(t, open, 1);

    for (int first = next(t, open), n = 0; first < close && n < MOST_PARAMETERS; n++) {
        int end = piece_end(t, first, close);
        if (by_value >> n & 1 && is_element(t, first, end))
            show(t, first, previous(t, end));
        first = end < close ? next(t, end) : close;
    }
}

/* Where the call of the function that is named at i begins: of a member's with its object. The EDGE
 * where that is not seen. */
static int call_begin(const struct token *t, int i)
{
    for (;;) {
        int before = previous(t, i);
        if (is(t, before, ">") && is(t, before - 1, "-"))
            before--;
        else if (!is(t, before, "."))
            return i;
        for (i = previous(t, before); is(t, i, "])");)
            i = previous(t, partner(t, i, -1));
        if (t[i].kind != WORD)
            return 0;
    }
}

/* Is the call, which begins at begin, of the function that is named at i, all that is assigned to
 * something in memory, and not the start of a variable? */
static bool is_assigned(const struct token *t, int begin, int i)
{
    int sign = previous(t, begin), left = previous(t, sign), close = partner(t, next(t, i), 1);

    if (begin == 0)
        return false;
    if (!is(t, sign, "=") || is(t, sign - 1, "=!<>+-*/%&|^") || !is(t, next(t, close), ";"))
        return false;
    if (is(t, left, "]"))
        return true;
    int before = previous(t, left);
    if (t[left].kind != WORD)
        return false;
    return is(t, before, ".") || (is(t, before, ">") && is(t, before - 1, "-")) ||
           (is(t, before, "*") && is(t, previous(t, before), ";{}"));
}

void values_show(struct token *t, int count)
{
    struct functions functions = {NULL, 0};

    for (int i = 1; i < count - 1; i++)
        if (is_declared(t, i))
            add(&functions, t, i);
    for (int i = 1; i < count - 1; i++) {
        if (t[i].kind != WORD || t[i].system || !is(t, next(t, i), "(") || is_declared(t, i))
            continue;
        const struct function *function = find(&functions, t, i);
        if (!function || !is(t, partner(t, next(t, i), 1), ")"))
            continue;
        if (!is(t, previous(t, i), ":"))
            show_arguments(t, next(t, i), function->by_value);
        int begin = call_begin(t, i);
        if (function->returns && is_assigned(t, begin, i))
            show(t, begin, partner(t, next(t, i), 1));
    }
    free(functions.at);
}
