/* Finds calls whose mask or result the program never looks at, by the tokens around them; and tells
 * the library which structures and atomics the source has. */
#include "compile/rewrite.h"

#include <string.h>

/* Is the word at i called? *end: the call's closing parenthesis. */
static bool is_call(int i, int *end)
{
    int open = next(i);

    *end = partner(open, 1);
    return t[i].kind == WORD && is(open, "(") && is(*end, ")");
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
static int mask_end(int i)
{
    int end;

    return is_word(i, " __activemask ") && is_call(i, &end) ? end : 0;
}

/* Is the word at i the mask that one of the operations gets? */
static bool is_handed_on(int i)
{
    int open = previous(i);

    return is(open, "(") && is_word(previous(open), operations) && is(next(i), ",)");
}

/* Does the variable at i get the value of __activemask() here, and nothing else? */
static bool is_set(int i)
{
    int sign = next(i), end = mask_end(next(sign)), after = end ? next(end) : 0;

    return end && is(sign, "=({") && is(after, ";,)}");
}

/* Is the variable at `name` a mask of __activemask() that its function never looks at? */
static bool is_unseen(int name)
{
    int word = enclosed_by(name, " __device__ __simt_kernel__ ");
    int body = find(declarator_end(word), "{;"), end = partner(body, 1);
    bool set = false;

    for (int i = next(body); i < end; i = next(i)) {
        if (!same_word(i, name))
            continue;
        bool declared = is_declared(i) && is(next(i), ";");
        if (qualifier(i) || !(is_handed_on(i) || is_set(i) || declared))
            return false;
        set |= is_set(i);
    }
    return set;
}

void mask_show(int i)
{
    if (!is_word(i, operations))
        return;
    int open = next(i), first = next(open), end = mask_end(first);
    int last = end ? end : first;

    if (is(open, "(") && is(next(last), ",)") && (end || is_unseen(first))) {
        append(first, "::simt::of_form<SIMT_UNSEEN_MASK>(");
        t[last].after = ")";
    }
}

/* ---- results that the program never looks at ---- */

/* Calls that return no error of their own; that a stream or an event has not ended is none. */
static const char calls_without_errors[] =
    " cudaPeekAtLastError cudaGetErrorName cudaGetErrorString "
    "cudaStreamQuery cudaEventQuery "
    "cudaGridDependencySynchronize cudaTriggerProgrammaticLaunchCompletion ";

/* Is this the last semicolon of a ({ … })? Then its statement has the value of all. */
static bool ends_braces(int semicolon)
{
    int end = next(semicolon);

    return is(end, "}") && is(next(end), ")") && is(previous(partner(end, -1)), "(");
}

/* Does the program throw away the result of the call from i to end? It does if the call is a whole
 * statement, also in parentheses, or a part of one between commas. */
static bool is_discarded(int i, int end)
{
    int before = previous(i), then = next(end);

    while (is(before, "(") && is(then, ")") && is(previous(before), "(;{}")) {
        before = previous(before);
        then = next(then);
    }
    if (!is(then, ",;") || !is(find(then, ";)]}"), ";") || ends_braces(find(then, ";)]}")))
        return false;
    if (is(before, ","))
        return !is(t[i].around, "([") && !is_word(statement_start(i), " return throw ");
    if (is(before, ")")) /* of an if, or of a cast: to void on purpose */
        return !is_word(previous(before), " void ");
    if (is(before, ":")) /* of a label, or of ? : */
        return !qualifier(i) && !is(find(statement_start(i), "?;"), "?");
    return is(before, ";{}") || is_word(before, " else do ");
}

/* The first token behind the launches that begin at token i; i itself if none begins there. */
static int behind_launches(int i)
{
    for (;;) {
        int end = find(i, ";{}"), last = previous(end);
        int angle = is(last, ")") ? previous(partner(last, -1)) : 0;
        if (!is(end, ";") || !is(angle, ">") || !is(angle - 1, ">") || !is(angle - 2, ">"))
            return i;
        i = next(end);
    }
}

/* Does the next statement overwrite the result of the call from i to end? The call stands behind
 * `variable =`, and the next statement that is no launch assigns another CUDA call's result to the
 * same variable. */
static bool is_overwritten(int i, int end)
{
    int equal = previous(i), name = previous(equal), before = previous(name);

    end = next(end);
    if (!is(equal, "=") || !is(end, ";") ||
        !(is(before, ";{}") || is_word(before, " cudaError_t cudaError auto ")))
        return false;
    int again = behind_launches(next(end)), sign = next(again), last;
    int call = next(sign);
    if (!same_word(again, name) || !is(sign, "=") || !is_call(call, &last) ||
        !is(next(last), ";") || strncmp(t[call].text, "cuda", 4) != 0)
        return false;
    while (call < last && !same_word(call, name))
        call = next(call);
    return call == last;
}

void result_show(int i)
{
    int end;

    if (is_word(i, " cuda* ") && is_call(i, &end) &&
        (is_discarded(i, end) || is_overwritten(i, end)) && !is_word(i, calls_without_errors) &&
        is_named(i, ~HEADER_NVIDIA)) {
        if (is_word(i, " cudaGetLastError "))
            append(i, "(::simt_looks_away = true, ");
        else
            append(i, "::simt::discard({\"\", \"%s\", %ld}, ", t[i].file, t[i].line);
        t[end].after = ")";
    }
}

/* ---- structures ---- */

/* Is the left side of the = an object in memory: a[i], a->b, a.b, or *a as a statement? */
static bool is_memory(int sign)
{
    int left = previous(sign), before = previous(left);

    if (is(left, "]"))
        return !is_word(previous(partner(left, -1)), " auto ") &&
               !is(previous(partner(left, -1)), "&");
    bool pointed_at = is(before, "*") && is(previous(before), ";{}");
    return t[left].kind == WORD && (qualifier(left) == '.' || pointed_at);
}

/* The last token of the call with which the assignment by the = at i ends; 0: it ends with none. */
static int call_end(int i)
{
    int end = find(next(i), ";,)]}{"), last = previous(end);
    int callee = is(last, ")") ? previous(partner(last, -1)) : 0;
    bool named = t[callee].kind == WORD && !is_word(callee, no_types);
    return is(end, ";") && callee > i && (named || is(callee, ")]>")) ? last : 0;
}

void structures_show(void)
{
    for (int i = 1; i < edge; i++) {
        if (t[i].system || !is(i, "=") || is(i - 1, "=!<>+-*/%&|^") || is(i + 1, "="))
            continue;
        int first = next(i), last = is_memory(i) ? call_end(i) : 0;
        if (!last || t[last].after || t[first].before)
            continue;
        append(first, "::simt::value(");
        t[last].after = ")";
    }
}

/* Does the word struct, class or union at i begin a definition? A definition with attributes does
 * not count: that is how a vector type is aligned as a whole. */
static bool is_definition(int i)
{
    int name = next(i), then = next(name);

    return is(name, "{") || is(then, "{") || (is(then, ":") && !is(then + 1, ":"));
}

struct traits traits_of(void)
{
    struct traits has = {0};

    for (int i = 1; i < edge; i++) {
        if (t[i].system)
            continue;
        if (names_type(i)) {
            t[i].types.next = t[t[i].word].types.first;
            t[t[i].word].types.first = i;
        }
        if (is_word(i, " struct class union ") && is_definition(i))
            has.structures = "simt_structures";
        else if (!has.structures && is_of(i, LIBRARY_STRUCTURE))
            has.structures = "simt_structures_of_library";
        if (t[i].kind == WORD && is(next(i), ":") && is_declared(i))
            has.bit_fields |= t[next(next(i))].kind == LITERAL;
    }
    return has;
}

/* A record of a type's size and alignment (watch/other_calls.c). */
#define LAYOUT                                                                                     \
    "__attribute__((used, section(\"simt_layouts\"))) static const unsigned simt_layout_%d[] = "   \
    "{sizeof(%s %.*s), alignof(%s %.*s)}; "

/* The token that opens the body of the structure whose definition begins at token i, and its name's
 * token; 0: none begins there, or it has no name. */
static int body_of(int i, int *name)
{
    int open = next(i);

    while (is_word(open, words_with_arguments) && is(next(open), "("))
        open = next(partner(next(open), 1));
    *name = open;
    if (t[open].kind == WORD)
        open = next(open);
    if (is(open, ":") || is_word(open, " final "))
        open = find(open, "{;");
    if (*name == open && is_word(statement_start(i), " typedef "))
        *name = next(partner(open, 1));
    return is(open, "{") && t[*name].kind == WORD ? open : 0;
}

void layout_show(int i)
{
    int name, open;

    if (t[i].system || !is_word(i, " struct class union ") || !is_outside(i) ||
        is_word(previous(i), " enum ") || is_word(statement_start(i), " template ") ||
        (open = body_of(i, &name)) == 0)
        return;
    /* struct in front, as a function or variable may bear the name, too */
    const char *key = name > open ? "" : is_word(i, " union ") ? "union" : "struct";
    append(next(find(partner(open, 1), ";")), LAYOUT, i, key, (int)t[name].length, t[name].text,
           key, (int)t[name].length, t[name].text);
}

void layouts_of_library(void)
{
    int last = 0;

    for (int i = 1; i < edge; i++) {
        if (t[i].system || !is_of(i, LARGE_VECTOR) || same_word(last, i))
            continue;
        last = i;
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
static bool is_uniform(int first, int end, int but, int depth);

/* The = by which the variable at i is assigned, or a sign of ++ or --; 0: it is not changed. */
static int changed_by(int i)
{
    int then = next(i), before = previous(i);

    if (is(then, "="))
        return is(then + 1, "=") ? 0 : then;
    if (is(then, "+-*/%&|^") && is(then + 1, "="))
        return then + 1;
    if (is(then, "+-") && is(then + 1, "+-"))
        return then + 1;
    return is(before, "+-") && is(before - 1, "+-") ? i : 0;
}

/* Does the variable at `name` have one value for all threads of the block? One in shared memory
 * does. Of a local one each value must be uniform, and after its declaration it may only change in
 * the head of a loop, which must be uniform, too. */
static bool is_uniform_variable(int name, int depth)
{
    int word = enclosed_by(name, device_words), open = declarator_end(word);
    int body = find(open, "{;"), end = partner(body, 1);

    for (int i = next(open); i < end; i = next(i)) {
        if (!same_word(i, name) || qualifier(i))
            continue;
        int sign = changed_by(i), value = next(sign), around = t[i].around;
        bool declared = is_declared(i), parameter = declared && around == open;
        bool steps = is_word(previous(around), " for ");
        if (around != open && has_word(statement_start(i), i, memory_words))
            return true;
        if (parameter && !is_word(word, " __simt_kernel__ "))
            return false;
        if (declared && !parameter && !is(sign, "="))
            return false;
        if (sign && !declared && !steps)
            return false;
        if (sign && steps && !is_uniform(next(around), partner(around, 1), i, depth))
            return false;
        if (is(sign, "=") && !is_uniform(value, find(value, ",;)"), i, depth))
            return false;
    }
    return true;
}

static bool is_uniform(int first, int end, int but, int depth)
{
    for (int i = first; i < end; i = next(i)) {
        if (t[i].kind != WORD || qualifier(i) || same_word(i, but) ||
            is_word(i, " blockIdx blockDim gridDim sizeof int unsigned size_t "))
            continue;
        if (is_word(i, " threadIdx ") || is(next(i), "(") || depth == 0 ||
            !is_uniform_variable(i, depth - 1))
            return false;
    }
    return true;
}

static const char atomics[] = " atomicAdd* atomicSub* atomicMin* atomicMax* atomicAnd* atomicOr* "
                              "atomicXor* atomicInc* atomicExch* ";

void atomic_show(int i)
{
    int end, before = previous(i);

    if (!is_word(i, atomics) || !is_call(i, &end) || !enclosed_by(i, device_words))
        return;
    int first = next(next(i)), comma = find(first, ",)"), value = next(comma);
    if (!is(comma, ",") || t[previous(comma)].after)
        return;
    bool looked_at = is(before, "=!") || is(next(end), "=!<>") || /* assigned, compared */
                     is_word(previous(before), " while if ");
    append(first, "::simt::of_form<%s%s%s%s0>(",
           is_uniform(first, comma, 0, 4) ? "SIMT_ONE_ADDRESS | " : "",
           is_uniform(value, end, 0, 4) ? "SIMT_ONE_VALUE | " : "",
           is_discarded(i, end) ? "SIMT_UNUSED | " : "", looked_at ? "SIMT_LOOKED_AT | " : "");
    t[previous(comma)].after = ")";
}
