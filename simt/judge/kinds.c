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
    [FINDING_ARRAY_BOUNDS] =
        {"array-bounds", "index out of an array",
         "It touches what lies next to the array or row: another variable, member or row. Check\n"
         "  the index, or walk all rows by a pointer to the first element."},
    [FINDING_UNINITIALISED] =
        {"shared-uninitialised", "uninitialised shared memory",
         "Shared memory holds garbage when a block begins: some thread of this block must\n"
         "  write the word first, also where the data ends before the array does."},
    [FINDING_UNWRITTEN] =
        {"global-uninitialised", "uninitialised global memory",
         "What cudaMalloc gives holds garbage, and an atomic reads it, too: cudaMemset it or copy\n"
         "  something there first. Are the sizes of these calls in bytes?"},
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
    [FINDING_WARP_OPERATION] = {"warp-mask", "warp operation with a wrong mask",
                                "A lane must be in the mask that it passes, and may use only what "
                                "lanes of that mask pass."},
    [FINDING_WIDTH] = {"shuffle-width", "shuffle with a wrong width",
                       "The width must be 1, 2, 4, 8, 16 or 32; with any other the result is "
                       "undefined."},
    [FINDING_ACTIVE_MASK] =
        {"active-mask", "__activemask() as the mask of a shuffle",
         "It tells who happens to be here together; nothing promises that these are all lanes of "
         "a\n"
         "  branch or of the warp. Have a full mask or __ballot_sync(), in front of the branch.",
         .note = true},
    [FINDING_UNSEEN_ERROR] =
        {"unseen-error", "error nobody looked at",
         "The program went on as if nothing had happened: check what every CUDA call returns,\n"
         "  and cudaGetLastError() after every launch."},
    [FINDING_COMMON_STORE] = {"common-store", "lanes store one value to one word",
                              "Which lane's store counts is open; since all store the same, the "
                              "result is not. One lane\n"
                              "  would do: if (threadIdx.x % 32 == 0).",
                              .note = true},
    [FINDING_EXCHANGED] =
        {"launch-order", "many blocks of few threads",
         "Are grid and block exchanged? It is <<<blocks, threads>>>. A warp has 32 lanes, and the\n"
         "  others of it idle.",
         .note = true},
    [FINDING_VOLATILE_FLAG] =
        {"volatile-flag", "volatile flag",
         "What lies behind the flag is ordered by the fences on both sides; the flag itself is\n"
         "  read and written at the same time by accesses that are no atomics. Use atomicExch to\n"
         "  set it and atomicAdd(p, 0) to look.",
         .note = true},
    [FINDING_UNSET] =
        {"constant-unset", "__constant__ variable that nobody set",
         "It has no value of its own, and the host had copied nothing to it when the kernel ran:\n"
         "  cudaMemcpyToSymbol, in front of the launch.",
         .note = true},
    [FINDING_WRONG_FREE] = {"wrong-free", "wrong free",
                            "free() and delete in a kernel take what malloc() or new gave in a "
                            "kernel, its begin, and\n"
                            "  once. Such memory is not the host's to free, nor cudaFree()'s."},
    [FINDING_REFUSED_COPY] =
        {"copy-size", "copy that does not fit",
         "CUDA refuses it and copies nothing. Sizes are in bytes: is it the number of elements,\n"
         "  or the sizeof of a pointer?",
         .note = true},
    [FINDING_DIRECTION] = {"copy-direction", "copy in the wrong direction",
                           "CUDA refuses it and copies nothing. The destination comes first: is "
                           "the direction wrong,\n"
                           "  or are the two pointers exchanged?",
                           .note = true},
    [FINDING_REFUSED_POINTER] =
        {"wrong-pointer", "invalid pointer in a call",
         "CUDA refuses it and does nothing. cudaFree takes what cudaMalloc gave, its begin, and\n"
         "  once; a copy or fill takes what is allocated.",
         .note = true},
    [FINDING_REFUSED_LAUNCH] = {"launch-limit", "launch that the device refuses",
                                "Nothing runs, and cudaGetLastError() behind the launch says so.",
                                .note = true},
    [FINDING_MISALIGNED] =
        {"misaligned", "misaligned access",
         "An address must be a multiple of what is read or written there at once, 16 bytes for\n"
         "  float4: a GPU stops the kernel. Is the index one of scalars, or the row's length odd?"},
    [FINDING_OVERLAP] = {"copy-overlap", "copy of overlapping memory",
                         "Source and destination of a cudaMemcpy may not overlap: the result is "
                         "undefined. Copy by\n"
                         "  way of a second buffer."},
    [FINDING_HOST_OVERRUN] =
        {"host-overrun", "copy beyond a host array",
         "CUDA copies what it is asked for, whatever lies behind the array (here the rest was "
         "left\n"
         "  out). Sizes are in bytes: is the array as large as the other one?"},
    /* The kernel cannot go on after these: judge/fatal.c tells them. */
    [FINDING_DEADLOCK] =
        {"deadlock", "deadlock",
         "Nobody can go on. Every living thread of a block must reach the same\n"
         "  __syncthreads(), every lane that a mask names the same warp operation, and what a\n"
         "  loop waits for, some thread must still be able to do."},
    [FINDING_NO_MEMORY] = {"wild-pointer", "access to no memory at all",
                           "The pointer is null, freed or wild: check cudaMalloc's result and the\n"
                           "  argument of the launch."},
    [FINDING_STACK] = {"stack-overflow", "stack overflow",
                       "A thread has 64 KiB for its local variables and calls here: large arrays\n"
                       "  and deep recursion belong into global memory or a loop."},
    [FINDING_TRAP] = {"trap", "__trap()",
                      "The kernel ended the program itself: its own check failed there."},
    [FINDING_ASSERT] =
        {"assert", "failed assert",
         "On a GPU the kernel ends here, and every later call and launch fails with\n"
         "  cudaErrorAssert."},
    [FINDING_GRID] =
        {"grid-too-large", "deadlock of a grid that is too large",
         "Blocks that wait for others must all run at once: launch at most as many as\n"
         "  cudaOccupancyMaxActiveBlocksPerMultiprocessor gives, times the multiprocessors."},
    [FINDING_DEVICE_VARIABLE] =
        {"device-variable", "__device__ variable on the host",
         "The host cannot read, write or pass it: cudaMemcpyToSymbol and cudaMemcpyFromSymbol\n"
         "  copy it, cudaGetSymbolAddress gives its address on the device."},
    [FINDING_DIVISION] =
        {"division-by-zero", "integer division by zero",
         "A GPU goes on with a value that nothing promises: test the divisor first."},
    [FINDING_HOST_EARLY] =
        {"async-host", "host does not wait",
         "Kernels, and asynchronous copies of pinned memory, may still be at work when their call\n"
         "  has returned: wait (cudaStreamSynchronize, cudaEventSynchronize or\n"
         "  cudaDeviceSynchronize) before the host reads what they write or changes what they "
         "read."},
    [FINDING_STREAMS] =
        {"async-streams", "race between streams",
         "Streams do not wait for each other, and non-blocking ones not for the default stream:\n"
         "  cudaEventRecord behind the first and cudaStreamWaitEvent before the second orders "
         "them,\n"
         "  or let the host wait in between."},
    [FINDING_STAGED] =
        {"async-pageable", "copy of pageable memory taken as finished",
         "An asynchronous copy of memory that is not pinned may have been made when its call\n"
         "  returns, and need not: order the streams by an event, or wait.",
         .note = true},
};
