/* Finds calls whose mask or result the program never looks at, by the tokens around them; and tells
 * the library which structures and atomics the source has. */
#include "compile/rewrite.h"

#include <string.h>

/* Is the word at i called? *end: the call's closing parenthesis. */
static bool is_call(const struct token *t, int i, int *end)
{
    int open = next(t, i);

    *end = partner(t, open, 1);
    return t[i].kind == WORD && is(t, open, "(") && is(t, *end, ")");
}

/* ---- masks of __activemask() that the program passes on unseen ---- */

/* Rule: a mask of __activemask() is suspect if the function only passes it to the operations below.
 * __activemask() names the lanes that happen to run together, which need not be all lanes of the
 * branch. A program that looks at the mask adapts to it and is right: it chooses a leader by __ffs,
 * counts the lanes by __popc, or lets them vote. A program that never looks takes the mask for the
 * lanes that it expects. Any other use counts as a look, also an argument of a function.
 *
 * Source: CUDA C++ Programming Guide, "Warp Vote Functions", on __activemask(). */
static const char operations[] = " __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync "
                                 "__syncwarp ";

/* The last token of the __activemask() that begins at i; 0: none begins there. */
static int mask_end(const struct token *t, int i)
{
    int end;

    return is_word(t, i, " __activemask ") && is_call(t, i, &end) ? end : 0;
}

/* Is the word at i the mask that one of the operations gets? */
static bool is_handed_on(const struct token *t, int i)
{
    int open = previous(t, i);

    return is(t, open, "(") && is_word(t, previous(t, open), operations) && is(t, next(t, i), ",)");
}

/* Does the variable at i get the value of __activemask() here, and nothing else? */
static bool is_set(const struct token *t, int i)
{
    int sign = next(t, i), end = mask_end(t, next(t, sign)), after = end ? next(t, end) : 0;

    return end && is(t, sign, "=({") && is(t, after, ";,)}");
}

/* Is the variable at `name` a mask of __activemask() that its function never looks at? */
static bool is_unseen(const struct token *t, int name)
{
    int word = enclosed_by(t, name, " __device__ __simt_kernel__ ");
    int body = find(t, declarator_end(t, word), "{;"), end = partner(t, body, 1);
    bool set = false;

    for (int i = next(t, body); i < end; i = next(t, i)) {
        if (!same_word(&t[i], &t[name]))
            continue;
        bool declared = is_declared(t, i) && is(t, next(t, i), ";");
        if (qualifier(t, i) || !(is_handed_on(t, i) || is_set(t, i) || declared))
            return false;
        set |= is_set(t, i);
    }
    return set;
}

void mask_show(struct token *t, int i)
{
    if (!is_word(t, i, operations))
        return;
    int open = next(t, i), first = next(t, open), end = mask_end(t, first);
    int last = end ? end : first;

    if (is(t, open, "(") && is(t, next(t, last), ",)") && (end || is_unseen(t, first))) {
        append(t, first, "::simt::of_form<SIMT_UNSEEN_MASK>(");
        t[last].after = ")";
    }
}

/* ---- results that the program never looks at ---- */

/* Calls that return no error of their own; that a stream or an event has not ended is none. */
static const char calls_without_errors[] =
    " cudaPeekAtLastError cudaGetErrorName cudaGetErrorString "
    "cudaStreamQuery cudaEventQuery "
    "cudaGridDependencySynchronize cudaTriggerProgrammaticLaunchCompletion ";

/* Does the program throw away the result of the call from i to end? It does if the call is a whole
 * statement, or a part of one between commas. */
static bool is_discarded(const struct token *t, int i, int end)
{
    int before = previous(t, i), then = next(t, end);

    if (!is(t, then, ",;") || !is(t, find(t, then, ";)]}"), ";"))
        return false;
    if (is(t, before, ","))
        return !is(t, t[i].around, "([") && !is_word(t, statement_start(t, i), " return throw ");
    if (is(t, before, ")")) /* of an if, or of a cast */
        return !is_word(t, previous(t, before), " void ");
    if (is(t, before, ":")) /* of a label, or of ? : */
        return !qualifier(t, i) && !is(t, find(t, statement_start(t, i), "?;"), "?");
    return is(t, before, ";{}") || is_word(t, before, " else do ");
}

/* The first token behind the launches that begin at token i; i itself if none begins there. */
static int behind_launches(const struct token *t, int i)
{
    for (;;) {
        int end = find(t, i, ";{}"), last = previous(t, end);
        int angle = is(t, last, ")") ? previous(t, partner(t, last, -1)) : 0;
        if (!is(t, end, ";") || !is(t, angle, ">") || !is(t, angle - 1, ">") ||
            !is(t, angle - 2, ">"))
            return i;
        i = next(t, end);
    }
}

/* Does the next statement overwrite the result of the call from i to end? The call stands behind
 * `variable =`, and the next statement that is no launch assigns another CUDA call's result to the
 * same variable. */
static bool is_overwritten(const struct token *t, int i, int end)
{
    int equal = previous(t, i), name = previous(t, equal), before = previous(t, name);

    end = next(t, end);
    if (!is(t, equal, "=") || !is(t, end, ";") ||
        !(is(t, before, ";{}") || is_word(t, before, " cudaError_t cudaError auto ")))
        return false;
    int again = behind_launches(t, next(t, end)), sign = next(t, again), last;
    int call = next(t, sign);
    if (!same_word(&t[again], &t[name]) || !is(t, sign, "=") || !is_call(t, call, &last) ||
        !is(t, next(t, last), ";") || strncmp(t[call].text, "cuda", 4) != 0)
        return false;
    while (call < last && !same_word(&t[call], &t[name]))
        call = next(t, call);
    return call == last;
}

void result_show(const struct source *s, int i)
{
    struct token *t = s->t;
    int end;

    if (is_word(t, i, " cuda* ") && is_call(t, i, &end) &&
        (is_discarded(t, i, end) || is_overwritten(t, i, end)) &&
        !is_word(t, i, calls_without_errors) && is_named(t, i, ~HEADER_LACKING)) {
        if (is_word(t, i, " cudaGetLastError "))
            append(t, i, "(::simt_looks_away = true, ");
        else
            append(t, i, "::simt::discard({\"\", \"%s\", %ld}, ", t[i].file, t[i].line);
        t[end].after = ")";
    }
}

/* ---- structures ---- */

/* Is the left side of the = an object in memory: a[i], a->b, a.b, or *a as a statement? */
static bool is_memory(const struct token *t, int sign)
{
    int left = previous(t, sign), before = previous(t, left);

    if (is(t, left, "]"))
        return !is_word(t, previous(t, partner(t, left, -1)), " auto ") &&
               !is(t, previous(t, partner(t, left, -1)), "&");
    bool pointed_at = is(t, before, "*") && is(t, previous(t, before), ";{}");
    return t[left].kind == WORD && (qualifier(t, left) == '.' || pointed_at);
}

/* The last token of the call with which the assignment by the = at i ends; 0: it ends with none. */
static int call_end(const struct token *t, int i)
{
    int end = find(t, next(t, i), ";,)]}{"), last = previous(t, end);
    int callee = is(t, last, ")") ? previous(t, partner(t, last, -1)) : 0;
    bool named = t[callee].kind == WORD && !is_word(t, callee, no_types);
    return is(t, end, ";") && callee > i && (named || is(t, callee, ")]>")) ? last : 0;
}

void structures_show(struct token *t, int count)
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

/* Does the word struct, class or union at i begin a definition? A definition with attributes does
 * not count: that is how a vector type is aligned as a whole. */
static bool is_definition(const struct token *t, int i)
{
    int name = next(t, i), then = next(t, name);

    return is(t, name, "{") || is(t, then, "{") || (is(t, then, ":") && !is(t, then + 1, ":"));
}

/* CUDA's vector types, and the structures of the C++ library that kernels use. */
static const char of_libraries[] =
    " char2 char3 char4 uchar2 uchar3 uchar4 short2 short3 short4 ushort2 ushort3 ushort4 "
    "int2 int3 int4 uint2 uint3 uint4 long2 long3 long4 ulong2 ulong3 ulong4 "
    "longlong2 longlong3 longlong4 ulonglong2 ulonglong3 ulonglong4 "
    "float2 float3 float4 double2 double3 double4 complex array pair tuple ";

struct traits traits_of(const struct token *t, int count)
{
    struct traits has = {.narrow = count};

    for (int i = 1; i < count - 1; i++) {
        if (has.narrow == count && is_word(t, i, " fuse_type "))
            has.narrow = i;
        if (t[i].system)
            continue;
        if (is_word(t, i, " struct class union ") && is_definition(t, i))
            has.structures = "simt_structures";
        else if (!has.structures && is_word(t, i, of_libraries))
            has.structures = "simt_structures_of_library";
        if (t[i].kind == WORD && is(t, next(t, i), ":") && is_declared(t, i))
            has.bit_fields |= t[next(t, next(t, i))].kind == LITERAL;
    }
    return has;
}

/* A record of a type's size and alignment (watch/pieces.c). */
#define LAYOUT                                                                                     \
    "__attribute__((used, section(\"simt_layouts\"))) static const unsigned simt_layout_%d[] = "   \
    "{sizeof(%s %.*s), alignof(%s %.*s)}; "

/* The token that opens the body of the structure whose definition begins at token i, and its name's
 * token; 0: none begins there, or it has no name. */
static int body_of(const struct token *t, int i, int *name)
{
    int open = next(t, i);

    while (is_word(t, open, words_with_arguments) && is(t, next(t, open), "("))
        open = next(t, partner(t, next(t, open), 1));
    *name = open;
    if (t[open].kind == WORD)
        open = next(t, open);
    if (is(t, open, ":") || is_word(t, open, " final "))
        open = find(t, open, "{;");
    if (*name == open && is_word(t, statement_start(t, i), " typedef "))
        *name = next(t, partner(t, open, 1));
    return is(t, open, "{") && t[*name].kind == WORD ? open : 0;
}

void layout_show(struct token *t, int i)
{
    int name, open;

    if (t[i].system || !is_word(t, i, " struct class union ") || !is_outside(t, i) ||
        is_word(t, previous(t, i), " enum ") || is_word(t, statement_start(t, i), " template ") ||
        (open = body_of(t, i, &name)) == 0)
        return;
    /* struct in front, as a function or variable may bear the name, too */
    const char *key = name > open ? "" : is_word(t, i, " union ") ? "union" : "struct";
    append(t, next(t, find(t, partner(t, open, 1), ";")), LAYOUT, i, key, (int)t[name].length,
           t[name].text, key, (int)t[name].length, t[name].text);
}

void layouts_of_library(const struct token *t, int count)
{
    static const char large[] =
        " int4 uint4 float4 long2 ulong2 longlong2 ulonglong2 double2 double3 "
        "double4* long3 long4* ulong3 ulong4* longlong3 longlong4* "
        "ulonglong3 ulonglong4* ";
    const struct token *last = NULL;

    for (int i = 1; i < count - 1; i++) {
        if (t[i].system || !is_word(t, i, large) || (last && same_word(last, &t[i])))
            continue;
        last = &t[i];
        printf(LAYOUT "\n", i, "", (int)t[i].length, t[i].text, "", (int)t[i].length, t[i].text);
    }
}

/* ---- atomics whose lanes nvcc combines ---- */

/* Rule: nvcc has one lane make the atomic of its warp where it knows that all lanes have one
 * address: the address does not depend on threadIdx. Here a call, or a parameter of a function that
 * is no kernel, counts as dependent. Source: Nsight Compute's counters on an H200.
 *
 * Is the expression from first to before end the same for all threads of a block, if the variable
 * at `but` is? depth: through how many variables it is followed. */
static bool is_uniform(const struct token *t, int first, int end, int but, int depth);

/* The = by which the variable at i is assigned, or a sign of ++ or --; 0: it is not changed. */
static int changed_by(const struct token *t, int i)
{
    int then = next(t, i), before = previous(t, i);

    if (is(t, then, "="))
        return is(t, then + 1, "=") ? 0 : then;
    if (is(t, then, "+-*/%&|^") && is(t, then + 1, "="))
        return then + 1;
    if (is(t, then, "+-") && is(t, then + 1, "+-"))
        return then + 1;
    return is(t, before, "+-") && is(t, before - 1, "+-") ? i : 0;
}

/* Does the variable at `name` have one value for all threads of the block? One in shared memory
 * does. Of a local one each value must be uniform, and after its declaration it may only change in
 * the head of a loop, which must be uniform, too. */
static bool is_uniform_variable(const struct token *t, int name, int depth)
{
    int word = enclosed_by(t, name, device_words), open = declarator_end(t, word);
    int body = find(t, open, "{;"), end = partner(t, body, 1);

    for (int i = next(t, open); i < end; i = next(t, i)) {
        if (!same_word(&t[i], &t[name]) || qualifier(t, i))
            continue;
        int sign = changed_by(t, i), value = next(t, sign), around = t[i].around;
        bool declared = is_declared(t, i), parameter = declared && around == open;
        bool steps = is_word(t, previous(t, around), " for ");
        if (around != open && has_word(t, statement_start(t, i), i, memory_words))
            return true;
        if (parameter && !is_word(t, word, " __simt_kernel__ "))
            return false;
        if (declared && !parameter && !is(t, sign, "="))
            return false;
        if (sign && !declared && !steps)
            return false;
        if (sign && steps && !is_uniform(t, next(t, around), partner(t, around, 1), i, depth))
            return false;
        if (is(t, sign, "=") && !is_uniform(t, value, find(t, value, ",;)"), i, depth))
            return false;
    }
    return true;
}

static bool is_uniform(const struct token *t, int first, int end, int but, int depth)
{
    for (int i = first; i < end; i = next(t, i)) {
        if (t[i].kind != WORD || qualifier(t, i) || same_word(&t[i], &t[but]) ||
            is_word(t, i, " blockIdx blockDim gridDim sizeof int unsigned size_t "))
            continue;
        if (is_word(t, i, " threadIdx ") || is(t, next(t, i), "(") || depth == 0 ||
            !is_uniform_variable(t, i, depth - 1))
            return false;
    }
    return true;
}

static const char atomics[] = " atomicAdd* atomicSub* atomicMin* atomicMax* atomicAnd* atomicOr* "
                              "atomicXor* atomicInc* atomicExch* ";

void atomic_show(struct token *t, int i)
{
    int end, before = previous(t, i);

    if (!is_word(t, i, atomics) || !is_call(t, i, &end) || !enclosed_by(t, i, device_words))
        return;
    int first = next(t, next(t, i)), comma = find(t, first, ",)"), value = next(t, comma);
    if (!is(t, comma, ",") || t[previous(t, comma)].after)
        return;
    bool looked_at = is(t, before, "=!") || is(t, next(t, end), "=!<>") || /* assigned, compared */
                     is_word(t, previous(t, before), " while if ");
    append(t, first, "::simt::of_form<%s%s%s%s0>(",
           is_uniform(t, first, comma, 0, 4) ? "SIMT_ONE_ADDRESS | " : "",
           is_uniform(t, value, end, 0, 4) ? "SIMT_ONE_VALUE | " : "",
           is_discarded(t, i, end) ? "SIMT_UNUSED | " : "", looked_at ? "SIMT_LOOKED_AT | " : "");
    t[previous(t, comma)].after = ")";
}
