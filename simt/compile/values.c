/* Finds assignments to memory of what a call returns, and tells whether the source has structures.
 */
#include "compile/calls.h"

#include <stdlib.h>
#include <string.h>

static const char no_types[] = " return else do case goto throw new delete sizeof operator using "
                               "namespace typedef co_return co_await co_yield if while for switch ";

/* Does what ends in front of the = name an object in memory: a[i], a->b, a.b, or *a as a statement?
 */
static bool is_memory(const struct token *t, int sign)
{
    int left = previous(t, sign), before = previous(t, left);

    if (is(t, left, "]"))
        return !is_word(t, previous(t, partner(t, left, -1)), " auto ") &&
               !is(t, previous(t, partner(t, left, -1)), "&");
    if (t[left].kind != WORD)
        return false;
    return is(t, before, ".") || (is(t, before, ">") && is(t, before - 1, "-")) ||
           (is(t, before, "*") && is(t, previous(t, before), ";{}"));
}

/* The last token of the call with which the statement behind the = at i ends; 0: with none. */
static int call_end(const struct token *t, int i)
{
    int end = next(t, i);

    for (; t[end].kind != EDGE && !is(t, end, ";,)]}{"); end = next(t, end))
        if (is(t, end, "(["))
            end = partner(t, end, 1);
    int last = previous(t, end), callee = is(t, last, ")") ? previous(t, partner(t, last, -1)) : 0;
    bool named = t[callee].kind == WORD && !is_word(t, callee, no_types);
    return is(t, end, ";") && callee > i && (named || is(t, callee, ")]>")) ? last : 0;
}

void values_show(struct token *t, int count)
{
    static const char head[] = "::simt::value(";

    for (int i = 1; i < count - 1; i++) {
        if (t[i].system || !is(t, i, "=") || is(t, i - 1, "=!<>+-*/%&|^") || is(t, i + 1, "="))
            continue;
        int first = next(t, i), last = is_memory(t, i) ? call_end(t, i) : 0;
        if (!last || t[last].after || t[first].before)
            continue;
        t[first].before = strcpy(resize(NULL, sizeof head), head);
        t[last].after = ")";
    }
}

/* Does the word struct, class or union at i begin a definition? */
static bool is_definition(const struct token *t, int i)
{
    bool derived = false;

    for (i = next(t, i); !is(t, i, "{"); i = next(t, i)) {
        derived |= is(t, i, ":");
        if (is(t, i, "("))
            i = partner(t, i, 1);
        if (t[i].kind == EDGE || is(t, i, ";=)") || (!derived && is(t, i, ",>*&")))
            return false;
    }
    return true;
}

/* A vector type of CUDA's, or one of the C++ library's structures that kernels use. */
static bool is_library_structure(const struct token *t, int i)
{
    static const char elements[] =
        " char uchar short ushort int uint long ulong longlong ulonglong "
        "float double ";
    struct token element = t[i];

    element.length--;
    return is_word(t, i, " complex array pair tuple ") ||
           (element.length > 1 && strchr("234", element.text[element.length]) &&
            is_word(&element, 0, elements));
}

enum structures values_structures(const struct token *t, int count)
{
    enum structures found = STRUCTURES_NONE;

    for (int i = 1; i < count - 1; i++) {
        if (t[i].system || t[i].kind != WORD)
            continue;
        if (is_word(t, i, " struct class union ") && is_definition(t, i))
            return STRUCTURES_OWN;
        if (is_library_structure(t, i))
            found = STRUCTURES_LIBRARY;
    }
    return found;
}
