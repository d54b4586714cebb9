/* Finds calls whose result nobody looks at, by what stands around them. */
#include "compile/calls.h"

#include <string.h>

/* Calls of which an error is worth a look. */
static const char calls_with_errors[] =
    " cudaMalloc cudaMallocAsync cudaMallocManaged cudaMallocHost cudaHostAlloc cudaFree "
    "cudaFreeAsync cudaFreeHost cudaMemcpy cudaMemcpyAsync cudaMemset cudaMemsetAsync "
    "cudaMemcpyToSymbol cudaMemcpyFromSymbol cudaGetSymbolAddress cudaSetDevice "
    "cudaGetDeviceProperties cudaDeviceGetAttribute cudaFuncSetAttribute cudaStreamCreate "
    "cudaStreamDestroy cudaStreamWaitEvent cudaEventCreate cudaEventRecord cudaEventSynchronize "
    "cudaEventElapsedTime cudaEventDestroy cudaMallocPitch cudaMemcpy2D cudaMemcpy2DAsync "
    "cudaMemset2D cudaMemset2DAsync cudaMalloc3D cudaMemcpy3D cudaMemcpy3DAsync cudaMemset3D "
    "cudaMemcpyToSymbolAsync cudaMemcpyFromSymbolAsync cudaMemPrefetchAsync "
    "cudaHostRegister cudaHostUnregister cudaHostGetDevicePointer cudaDeviceSetLimit "
    "cudaMemAdvise cudaMemcpyPeer cudaMemcpyPeerAsync cudaStreamAddCallback cudaLaunchHostFunc "
    "cudaSetDeviceFlags cudaDeviceEnablePeerAccess cudaDeviceDisablePeerAccess "
    "cudaFuncSetCacheConfig cudaDeviceSetCacheConfig cudaFuncSetSharedMemConfig "
    "cudaDeviceSetSharedMemConfig cudaLaunchKernel cudaLaunchCooperativeKernel "
    "cudaLaunchKernelEx ";

static bool is_call(const struct token *t, int i, int *end)
{
    int open = next(t, i);

    if (t[i].kind != WORD || !is(t, open, "("))
        return false;
    *end = partner(t, open, 1);
    return is(t, *end, ")");
}

/* ---- thrown away ---- */

/* Does the colon at i end a label? One of ? : does not. */
static bool ends_label(const struct token *t, int i)
{
    int first = 0, words = 0;

    for (i = previous(t, i); t[i].kind != EDGE && !is(t, i, ";{}"); i = previous(t, i)) {
        if (is(t, i, "?"))
            return false;
        if (is(t, i, ")]"))
            i = partner(t, i, -1);
        first = i;
        words++;
    }
    return is_word(t, first, " case default ") || (words == 1 && t[first].kind == WORD);
}

/* Does a statement begin at i? */
static bool begins_statement(const struct token *t, int i)
{
    int before = previous(t, i);

    if (is(t, before, ")"))
        return !is_word(t, previous(t, before), " void ");
    if (is(t, before, ":"))
        return ends_label(t, before);
    return is(t, before, ";{}") || is_word(t, before, " else do ");
}

/* The first of the calls, with commas between, of which that at i is one. */
static int first_of_calls(const struct token *t, int i)
{
    for (int comma = previous(t, i), end; is(t, comma, ","); comma = previous(t, i)) {
        int close = previous(t, comma), word = previous(t, partner(t, close, -1));
        if (!is(t, close, ")") || !is_call(t, word, &end))
            break;
        i = word;
    }
    return i;
}

/* Do only calls, with commas between, and then a semicolon come behind that which ends at i? */
static bool only_calls_follow(const struct token *t, int i)
{
    while (is(t, next(t, i), ","))
        if (!is_call(t, next(t, next(t, i)), &i))
            return false;
    return is(t, next(t, i), ";");
}

bool result_is_discarded(const struct token *t, int i, int *end)
{
    return is_call(t, i, end) && is_word(t, i, calls_with_errors) && only_calls_follow(t, *end) &&
           begins_statement(t, first_of_calls(t, i));
}

/* ---- overwritten ---- */

/* What encloses token i: a brace, parenthesis or bracket; an EDGE: nothing. */
static int opener_of(const struct token *t, int i)
{
    for (i = previous(t, i); t[i].kind != EDGE && !is(t, i, "{(["); i = previous(t, i))
        if (is(t, i, ")]}"))
            i = partner(t, i, -1);
    return i;
}

/* First token of the statement that token i is in; 0 if that stands in no block. */
static int statement_of(const struct token *t, int i)
{
    if (!is(t, opener_of(t, i), "{"))
        return 0;
    for (int before = previous(t, i); !is(t, before, ";{}"); before = previous(t, i)) {
        if (t[before].kind == EDGE)
            return 0;
        i = is(t, before, ")]") ? partner(t, before, -1) : before;
    }
    return i;
}

static const char types[] = " cudaError_t cudaError enum auto ";

/* The declaration, in a function, of the variable that token i names; 0: there is none to be seen.
 */
static int local_declaration(const struct token *t, int i)
{
    int name = i;

    for (i = previous(t, i); t[i].kind != EDGE; i = previous(t, i)) {
        if (is(t, i, ")]}"))
            i = partner(t, i, -1);
        else if (same_word(t, i, name) && is_word(t, statement_of(t, i), types) &&
                 !is(t, previous(t, i), "&*=")) {
            int open = previous(t, opener_of(t, i));
            return is(t, open, ")") || is_word(t, open, " else do try const noexcept ") ? i : 0;
        }
    }
    return 0;
}

/* May something else than the name lead to the variable: its address, a reference, a lambda? */
static bool has_other_way(const struct token *t, int from, int end, int name)
{
    for (int i = from; i < end; i = next(t, i)) {
        int before = previous(t, i), left = previous(t, before);
        if (is(t, i, "&") && is(t, before, "["))
            return true;
        if (!same_word(t, i, name) || i == from)
            continue;
        if ((is(t, before, "&") && !is(t, left, "&")) ||
            (is(t, before, "=") && is(t, previous(t, left), "&")))
            return true;
    }
    return false;
}

/* Is token i assigned the result of a call of CUDA's, by a statement of its own, which does not
 * name it again? */
static bool gets_another_result(const struct token *t, int i)
{
    int call = next(t, next(t, i)), end;

    if (!is(t, previous(t, i), ";{}") || !is(t, next(t, i), "=") || !is_call(t, call, &end) ||
        strncmp(t[call].text, "cuda", 4) != 0)
        return false;
    for (int j = call; j < end; j = next(t, j))
        if (same_word(t, j, i))
            return false;
    return true;
}

/* Words that leave a block, or that one comes to from elsewhere. */
static const char jumps[] = " break continue goto throw return case default ";

/* The first token from i on that names the variable, if it stands in the same block and nothing in
 * front of it leaves that; else 0. */
static int next_named(const struct token *t, int i, int name)
{
    for (int depth = 0; t[i].kind != EDGE && !is_word(t, i, jumps); i = next(t, i)) {
        depth += is(t, i, "({") ? 1 : is(t, i, ")}") ? -1 : 0;
        if (depth < 0)
            return 0;
        if (same_word(t, i, name))
            return depth == 0 ? i : 0;
    }
    return 0;
}

bool result_is_overwritten(const struct token *t, int i, int *end)
{
    int equal = previous(t, i), name = previous(t, equal);

    if (!is_call(t, i, end) || !is_word(t, i, calls_with_errors) || !is(t, next(t, *end), ";") ||
        !is(t, equal, "=") || t[name].kind != WORD)
        return false;
    int start = statement_of(t, name), again = next_named(t, next(t, *end), name);
    bool declares = start != name && is_word(t, start, types);
    if (!again || (start != name && !declares) || !gets_another_result(t, again))
        return false;
    int declared = declares ? name : local_declaration(t, name);
    return declared != 0 && !has_other_way(t, declared, again, name);
}
