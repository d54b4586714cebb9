/* The table of all kinds of findings. */
#include "judge/kinds.h"

const struct kind kinds[FINDING_KINDS] = {
    [FINDING_SHARED_RACE] =
        {"shared-race", "race in shared memory",
         "Two threads use one word, at least one writes, and nothing orders them: put a\n"
         "  __syncthreads() between (__syncwarp() if all are lanes of one warp). Since Volta\n"
         "  the lanes of a warp do not run in lockstep; neither volatile nor a shuffle orders."},
    [FINDING_GLOBAL_RACE] =
        {"global-race", "race in global memory",
         "Two threads use one word within a launch, at least one writes, and nothing orders\n"
         "  them. Within a block __syncthreads() does. Between blocks use atomics, or a second\n"
         "  launch, or __threadfence() and an atomic ticket."},
    [FINDING_SHARED_BOUNDS] = {"shared-bounds", "out of bounds in shared memory",
                               "The index must stay within the array: check it before the access."},
    [FINDING_GLOBAL_BOUNDS] =
        {"global-bounds", "out of bounds in global memory",
         "Only what cudaMalloc gave may be touched: compare the index with the number of\n"
         "  elements, since the last block may have more threads than there are elements."},
    [FINDING_UNINITIALISED] =
        {"shared-uninitialised", "uninitialised shared memory",
         "Shared memory holds garbage when a block begins: some thread of this block must\n"
         "  write the word first, also where the data ends before the array does."},
    [FINDING_HOST_POINTER] =
        {"host-pointer", "host pointer in a kernel",
         "A kernel can use device, managed, pinned and registered memory only: cudaMalloc it and\n"
         "  cudaMemcpy the data there."},
    [FINDING_DEVICE_POINTER] =
        {"device-pointer", "device pointer on the host",
         "The CPU cannot use memory from cudaMalloc: cudaMemcpy it to the host first."},
    [FINDING_DIVERGENT_BARRIER] =
        {"divergent-barrier", "divergent barrier",
         "All threads of a block must reach the same __syncthreads(): move it out of the\n"
         "  branch or loop that only some of them take."},
    [FINDING_WARP_OPERATION] =
        {"warp-mask", "warp operation with a wrong mask",
         "A lane must be in the mask that it passes, and may read only lanes of that mask."},
    [FINDING_UNSEEN_ERROR] =
        {"unseen-error", "error nobody looked at",
         "The program went on as if nothing had happened: check what every CUDA call returns,\n"
         "  and cudaGetLastError() after every launch."},
    [FINDING_WRONG_FREE] = {"wrong-free", "wrong free",
                            "free() and delete in a kernel take what malloc() or new gave in a "
                            "kernel, its begin, and\n"
                            "  once. Such memory is not the host's to free, nor cudaFree()'s."},
};
