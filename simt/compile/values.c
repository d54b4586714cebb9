/* Finds assignments to memory of what a call returns, and tells whether the source has structures.
 */
#include "compile/calls.h"

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
    bool pointed_at = is(t, before, "*") && is(t, previous(t, before), ";{}");
    return t[left].kind == WORD && (qualifier(t, left) == '.' || pointed_at);
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
    for (int i = 1; i < count - 1; i++) {
        if (t[i].system || !is(t, i, "=") || is(t, i - 1, "=!<>+-*/%&|^") || is(t, i + 1, "="))
            continue;
        int first = next(t, i), last = is_memory(t, i) ? call_end(t, i) : 0;
        if (!last || t[last].after || t[first].before)
            continue;
        append(t, first, "::simt::value(");
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

/* CUDA's vector types, and the C++ library's structures that kernels use. */
static const char of_libraries[] =
    " char2 char3 char4 uchar2 uchar3 uchar4 short2 short3 short4 ushort2 ushort3 ushort4 "
    "int2 int3 int4 uint2 uint3 uint4 long2 long3 long4 ulong2 ulong3 ulong4 "
    "longlong2 longlong3 longlong4 ulonglong2 ulonglong3 ulonglong4 "
    "float2 float3 float4 double2 double3 double4 complex array pair tuple ";

const char *values_symbol(const struct token *t, int count)
{
    const char *found = NULL;

    for (int i = 1; i < count - 1; i++) {
        if (!t[i].system && is_word(t, i, " struct class union ") && is_definition(t, i))
            return "simt_structures";
        if (!t[i].system && is_word(t, i, of_libraries))
            found = "simt_structures_of_library";
    }
    return found;
}
