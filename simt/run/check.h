/* Inside the CPU backend: may these be the two sides of a copy, or what a fill writes? */
#ifndef SIMT_CHECK_H
#define SIMT_CHECK_H

#include "run/stream.h"

/* cudaSuccess or CUDA's error, which the caller is to remember (error_set); why is kept
 * (error_refuse). Where a copy leaves a host array the observer is told, and the areas become
 * smaller: no more is to be copied. pc: the return address of the call. */
cudaError_t check_copy(const void *pc, struct area *to, struct area *from,
                       enum cudaMemcpyKind kind);
cudaError_t check_fill(const void *pc, const struct area *to);

/* The first for a copy between other memory and a __device__ variable, which the host names by its
 * address, symbol; own is the area in it. */
cudaError_t check_symbol(const void *pc, struct area *own, struct area *other, const void *symbol,
                         enum cudaMemcpyKind kind, bool to_symbol);

#endif
