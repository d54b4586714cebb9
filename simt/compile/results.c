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
    "cudaMemset2D cudaMemset2DAsync "
    "cudaMemcpyToSymbolAsync cudaMemcpyFromSymbolAsync cudaMemPrefetchAsync "
    "cudaHostRegister cudaHostUnregister cudaHostGetDevicePointer cudaDeviceSetLimit "
    "cudaMemAdvise cudaStreamAddCallback cudaLaunchHostFunc "
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
    int start = statement_start(t, i);

    return is_word(t, start, " case default ") ? !is(t, find(t, start, "?:"), "?")
                                               : next(t, start) == i && t[start].kind == WORD;
}

/* Does a statement begin at i, or behind the calls with commas between of which that at i is one?
 */
static bool begins_statement(const struct token *t, int i)
{
    int before = previous(t, i), close = previous(t, before), end;

    if (is(t, before, ",") && is(t, close, ")")) {
        int word = previous(t, partner(t, close, -1));
        return is_call(t, word, &end) && begins_statement(t, word);
    }
    if (is(t, before, ")"))
        return !is_word(t, close, " void ");
    if (is(t, before, ":"))
        return ends_label(t, before);
    return is(t, before, ";{}") || is_word(t, before, " else do ");
}

bool result_is_discarded(const struct token *t, int i, int *end)
{
    if (!is_call(t, i, end) || !is_word(t, i, calls_with_errors) || !begins_statement(t, i))
        return false;
    int last = *end;
    while (is(t, next(t, last), ","))
        if (!is_call(t, next(t, next(t, last)), &last))
            return false;
    return is(t, next(t, last), ";");
}

/* ---- overwritten ---- */

/* Is token i assigned the result of a call of CUDA's, by a statement of its own, which does not
 * name it again? */
static bool gets_another_result(const struct token *t, int i)
{
    int call = next(t, next(t, i)), end;

    if (!is(t, previous(t, i), ";") || !is(t, next(t, i), "=") || !is_call(t, call, &end) ||
        !is(t, next(t, end), ";") || strncmp(t[call].text, "cuda", 4) != 0)
        return false;
    for (int j = call; j < end; j = next(t, j))
        if (same_word(&t[j], &t[i]))
            return false;
    return true;
}

/* Words of statements that may not run on to the next. */
static const char branches[] =
    " break continue goto throw return case default if else for while do switch ";

/* The first token from i on that names the variable; 0: there is a branch or a call before, that of
 * a launch aside. */
static int next_named(const struct token *t, int i, int name)
{
    for (; t[i].kind != EDGE && !is(t, i, "{}") && !is_word(t, i, branches); i = next(t, i)) {
        int before = previous(t, i);
        if (same_word(&t[i], &t[name]))
            return i;
        if (is(t, i, "(") && !is(t, before, ">") && !is_word(t, before, " dim3 "))
            return 0;
    }
    return 0;
}

bool result_is_overwritten(const struct token *t, int i, int *end)
{
    int equal = previous(t, i), name = previous(t, equal), before = previous(t, name);

    if (!is_call(t, i, end) || !is_word(t, i, calls_with_errors) || !is(t, next(t, *end), ";") ||
        !is(t, equal, "=") || t[name].kind != WORD ||
        !(is(t, before, ";{}") || is_word(t, before, " cudaError_t cudaError auto ")))
        return false;
    int again = next_named(t, next(t, next(t, *end)), name);
    return again && gets_another_result(t, again);
}
