/* Holds launches against the limits of the device and of their kernels; CUDA's call that raises
 * one.
 *
 * What a kernel's own limits are its function tells, by the program's symbol table: the __shared__
 * variables that it declares have its name in theirs, and of __launch_bounds__ the rewriter has
 * left a record, which names an address in the function. */
#define _GNU_SOURCE
#include "run/limits.h"
#include "run/end.h"
#include "run/error.h"
#include "run/facts.h"
#include "run/symbols.h"
#include "simt.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel {
    const void *function;
    unsigned registers; /* of a thread; 0: not known */
    size_t shared;      /* bytes of its own __shared__ variables */
    size_t opted;       /* bytes of dynamic shared memory, by its attribute; 0: not set */
    uint64_t most;      /* threads of a block, by __launch_bounds__; 0: not said */
    size_t code_bytes;
    struct kernel *next;
};

static struct kernel *kernels; /* that were asked for so far */
static size_t most_opted;      /* by any kernel */
/* ---- what is known of a kernel ---- */

/* The rewriter's records, between these. */
extern const struct bounds_record {
    uint64_t address, threads;
} __start_simt_bounds[] __attribute__((weak)), __stop_simt_bounds[] __attribute__((weak));

static uint64_t bounds_of(const struct kernel *kernel)
{
    for (const struct bounds_record *r = __start_simt_bounds; r < __stop_simt_bounds; r++)
        if (r->address - (uintptr_t)kernel->function < kernel->code_bytes)
            return r->threads;
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

/* ---- how many registers nvcc gave to kernels, as far as the program has said so ---- */

static struct told {
    char *kernel;
    unsigned registers;
    struct told *next;
} * told;

void simt_set_registers(const char *kernel, unsigned registers)
{
    struct told *one = malloc(sizeof *one);
    char *name = strdup(kernel);

    if (!one || !name)
        end_fatal("no memory for the registers of kernels");
    *one = (struct told){name, registers, told};
    told = one;
}

static unsigned registers_of(const char *kernel)
{
    for (const struct told *one = told; one; one = one->next)
        if (strcmp(one->kernel, kernel) == 0)
            return one->registers;
    return 0;
}

static struct kernel *kernel_at(const void *function)
{
    for (struct kernel *k = kernels; k; k = k->next)
        if (k->function == function)
            return k;
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel)
        end_fatal("no memory for the limits of kernels");
    kernel->function = function;
    const struct symbol *symbol = symbols_below(SYMBOL_FUNCTION, (uintptr_t)function);
    if (symbol && symbol->begin == (uintptr_t)function) {
        kernel->code_bytes = symbol->size;
        kernel->registers = registers_of(symbol->mangled);
        kernel->shared = shared_of(symbol->mangled);
    }
    kernel->most = bounds_of(kernel);
    kernel->next = kernels;
    return kernels = kernel;
}

static cudaError_t raise_shared(const void *function, int bytes)
{
    size_t most = (size_t)device_facts()->shared_block_kib * 1024;

    struct kernel *kernel = kernel_at(function);
    bool possible = bytes >= 0 && kernel->shared + (size_t)bytes <= most;
    if (possible)
        kernel->opted = (size_t)bytes;
    if (possible && kernel->opted > most_opted)
        most_opted = kernel->opted;
    return possible ? cudaSuccess : cudaErrorInvalidValue;
}

/* Others are hints, and change nothing. */
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attr, int value)
{
    return attr == cudaFuncAttributeMaxDynamicSharedMemorySize
               ? error_set(raise_shared(kernel, value))
               : cudaSuccess;
}

struct block_needs limits_needs(const void *function)
{
    const struct kernel *kernel = kernel_at(function);

    return (struct block_needs){.registers = kernel->registers, .shared = kernel->shared};
}

unsigned limits_threads(const void *function)
{
    uint64_t most = kernel_at(function)->most;
    return most > 0 && most < DEVICE_THREADS_PER_BLOCK ? (unsigned)most : DEVICE_THREADS_PER_BLOCK;
}

/* ---- the checks: each keeps why a launch is refused ---- */

static size_t volume(dim3 size)
{
    return (size_t)size.x * size.y * size.z;
}

/* "32 x 64", without the dimensions behind that are 1. */
static const char *shape(dim3 size, char text[40])
{
    if (size.z != 1)
        snprintf(text, 40, "%u x %u x %u", size.x, size.y, size.z);
    else if (size.y != 1)
        snprintf(text, 40, "%u x %u", size.x, size.y);
    else
        snprintf(text, 40, "%u", size.x);
    return text;
}

static bool fits(dim3 size, dim3 most)
{
    return size.x > 0 && size.y > 0 && size.z > 0 && size.x <= most.x && size.y <= most.y &&
           size.z <= most.z;
}

static cudaError_t check_sizes(struct complaint refusal, dim3 grid, dim3 block)
{
    static const dim3 most_blocks = {0x7fffffff, 65535, 65535}, most_threads = {1024, 1024, 64};
    char a[40], b[40];
    bool exchanged = volume(block) > DEVICE_THREADS_PER_BLOCK && fits(grid, most_threads) &&
                     volume(grid) <= DEVICE_THREADS_PER_BLOCK && volume(grid) % 32 == 0 &&
                     fits(block, most_blocks);

    if (!fits(grid, most_blocks))
        error_refuse(refusal,
                     "A grid of %s blocks: each dimension is at least 1,\n"
                     "  and at most %u x %u x %u.",
                     shape(grid, a), most_blocks.x, most_blocks.y, most_blocks.z);
    else if (exchanged)
        error_refuse(refusal,
                     "%s threads a block are too many, of at most %d.\n"
                     "  Are grid and block exchanged? <<<%s, %s>>> would be possible.",
                     shape(block, b), DEVICE_THREADS_PER_BLOCK, b, shape(grid, a));
    else if (!fits(block, most_threads) || volume(block) > DEVICE_THREADS_PER_BLOCK)
        error_refuse(refusal,
                     "A block of %s threads: each dimension is at least 1,\n"
                     "  and at most %u x %u x %u, together %d.",
                     shape(block, b), most_threads.x, most_threads.y, most_threads.z,
                     DEVICE_THREADS_PER_BLOCK);
    else
        return cudaSuccess;
    return cudaErrorInvalidConfiguration;
}

static cudaError_t check_bounds(struct complaint refusal, const struct kernel *kernel, dim3 block)
{
    if (!kernel || kernel->most == 0 || volume(block) <= kernel->most)
        return cudaSuccess;
    error_refuse(refusal, "%zu threads a block; the kernel has __launch_bounds__(%u).",
                 volume(block), (unsigned)kernel->most);
    return cudaErrorInvalidValue;
}

static cudaError_t check_shared(struct complaint refusal, const struct kernel *kernel,
                                size_t shared)
{
    size_t own = kernel ? kernel->shared : 0, opted = kernel ? kernel->opted : most_opted;

    if (own > DEVICE_SHARED_PER_BLOCK)
        error_refuse(refusal,
                     "Its __shared__ variables take %zu bytes, of at most %d:\n"
                     "  nvcc refuses to compile it.",
                     own, DEVICE_SHARED_PER_BLOCK);
    else if (shared <= opted || own + shared <= DEVICE_SHARED_PER_BLOCK)
        return cudaSuccess;
    else if (opted > 0)
        error_refuse(refusal,
                     "%zu bytes of dynamic shared memory are asked for; the kernel's attribute\n"
                     "  allows %zu.",
                     shared, opted);
    else
        error_refuse(refusal,
                     "%zu bytes of shared memory, %zu of them dynamic, are more than %d.\n"
                     "  cudaFuncSetAttribute raises that, for one kernel at a time%s.",
                     own + shared, shared, DEVICE_SHARED_PER_BLOCK,
                     most_opted > 0 ? ": it was called for another" : "");
    return cudaErrorInvalidValue;
}

cudaError_t limits_check(const struct simt_site *site, const void *function, dim3 grid, dim3 block,
                         size_t shared)
{
    const struct complaint refusal = {.kind = FINDING_REFUSED_LAUNCH, .site = *site};
    cudaError_t error = check_sizes(refusal, grid, block);

    const struct kernel *kernel = function ? kernel_at(function) : NULL;
    if (error == cudaSuccess)
        error = check_bounds(refusal, kernel, block);
    if (error == cudaSuccess)
        error = check_shared(refusal, kernel, shared);
    return error;
}

cudaError_t simt_check_launch(const struct simt_site *site, const void *kernel, dim3 grid,
                              dim3 block, size_t shared)
{
    return error_set(limits_check(site, kernel, grid, block, shared));
}

cudaError_t simt_check_cooperative(const struct simt_site *site, const void *kernel, dim3 grid,
                                   dim3 block, size_t shared)
{
    const struct complaint refusal = {.kind = FINDING_REFUSED_LAUNCH, .site = *site};
    cudaError_t error = limits_check(site, kernel, grid, block, shared);

    if (error == cudaSuccess) {
        size_t blocks = (size_t)grid.x * grid.y * grid.z;
        struct block_needs needs = limits_needs(kernel);
        needs.threads = block.x * block.y * block.z;
        needs.shared += shared;
        size_t most = device_blocks_at_once(needs);
        if (blocks > most) {
            error_refuse(refusal,
                         "%zu blocks; the device runs %zu of them at the same time, and a "
                         "cooperative\n  launch must not have more.",
                         blocks, most);
            error = cudaErrorCooperativeLaunchTooLarge;
        }
    }
    return error_set(error);
}
