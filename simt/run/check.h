/* Inside the CPU backend: may these be the two sides of a copy, or what a fill writes? */
#ifndef SIMT_CHECK_H
#define SIMT_CHECK_H

#include "cuda_runtime_api.h"

#include <stdbool.h>
#include <stddef.h>

/* A copy as the program asks for it. pc: the return address of its call. */
struct copy_call {
    const void *pc;
    void *to;
    const void *from;
    size_t size;
    enum cudaMemcpyKind kind;
};

/* cudaSuccess or CUDA's error, which the caller is to remember (error_set); why is kept
 * (error_refuse). */
cudaError_t check_copy(struct copy_call call);
cudaError_t check_fill(const void *pc, const void *to, size_t size);

/* Of `size` bytes at ptr, which a copy reads or writes, those that it may: where it leaves a host
 * array the observer is told, and no more is to be copied. */
size_t check_host_bytes(const void *pc, const void *ptr, size_t size, bool written);

/* The first for a copy to or from a __device__ variable, which the host names by its address: its
 * side of the call is `offset` bytes behind symbol. The call's size is then what may be copied. */
cudaError_t check_symbol(struct copy_call *call, const void *symbol, size_t offset, bool to_symbol);

#endif
