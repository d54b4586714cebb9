/* What is known of kernels, and CUDA's calls that ask for it.
 *
 * A kernel's own limits its function tells, by the program's symbol table: the __shared__ variables
 * that it declares have its name in theirs, and of __launch_bounds__ the rewriter has left a
 * record, which names an address in the function. */
#define _GNU_SOURCE
#include "run/device.h"
#include "run/end.h"
#include "run/error.h"
#include "run/symbols.h"
#include "cuda_runtime_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rewriter's records, between these. */
extern const struct bounds_record {
    uint64_t address, threads;
} __start_simt_bounds[] __attribute__((weak)), __stop_simt_bounds[] __attribute__((weak));

static unsigned bounds_of(const struct symbol *function)
{
    for (const struct bounds_record *r = __start_simt_bounds; r < __stop_simt_bounds; r++)
        if (r->address - function->begin < function->size)
            return (unsigned)r->threads;
    return 0;
}

/* The C++ ABI's name of what a function declares: _ZZ, the function's name without its _Z, E. */
static size_t shared_of(const char *kernel)
{
    char prefix[2048];
    size_t count, bytes = 0, length = strlen(kernel);
    const struct symbol *shared = symbols_of(SYMBOL_SHARED, &count);

    if (length + 32 > sizeof prefix)
        return 0;
    if (strncmp(kernel, "_Z", 2) == 0)
        snprintf(prefix, sizeof prefix, "_ZZ%sE", kernel + 2);
    else
        snprintf(prefix, sizeof prefix, "_ZZ%zu%sE", length, kernel);
    for (size_t i = 0; i < count; i++)
        if (strncmp(shared[i].mangled, prefix, strlen(prefix)) == 0)
            bytes += shared[i].size;
    return bytes;
}

struct kernel *kernel_at(const void *function)
{
    static struct kernel *kernels; /* that were asked for so far */
    const struct symbol *symbol;

    for (struct kernel *k = kernels; k; k = k->next)
        if (k->function == function)
            return k;
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        end_fatal("no memory for the limits of kernels");
    kernel->function = function;
    kernel->next = kernels;
    symbol = symbols_below(SYMBOL_FUNCTION, (uintptr_t)function);
    if (symbol && symbol->begin == (uintptr_t)function) {
        kernel->shared = shared_of(symbol->mangled);
        kernel->threads = bounds_of(symbol);
    }
    return kernels = kernel;
}

/* Other attributes are hints, and change nothing. */
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attr, int value)
{
    size_t most = (size_t)device_facts()->shared_block_kib * 1024;
    struct kernel *kernel = kernel_at(function), *any = kernel_at(NULL);

    if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value < 0 || kernel->shared + (size_t)value > most)
        return error_set(cudaErrorInvalidValue);
    kernel->opted = (size_t)value;
    if (any->opted < kernel->opted)
        any->opted = kernel->opted;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t shared)
{
    if (threads < 1 || threads > DEVICE_THREADS_PER_BLOCK)
        return error_set(cudaErrorInvalidValue);
    *blocks = (int)occupancy_blocks(device_facts(), (unsigned)threads,
                                    kernel_at(function)->shared + shared);
    return cudaSuccess;
}
