/* The table of all kinds of findings: name, id, title, family, rule (observer.h). A file that
 * includes it defines the macros FINDING and NOTE first. A rule is one line, and wrapped when it is
 * printed.
 *
 * To add a kind: add its entry here and its section to FINDINGS.md, let a check add findings of it
 * (judge/judge.h says where checks are called), and give it cases in tests/twins. */
/* clang-format off */
FINDING(SHARED_RACE, "shared-race", "race in shared memory", RACE,
    "Two threads use one word, at least one writes, and nothing orders them: put a "
    "__syncthreads() between them (__syncwarp() within a warp). Since Volta the lanes of a warp "
    "do not run in lockstep; neither volatile nor a shuffle orders memory.")
FINDING(GLOBAL_RACE, "global-race", "race in global memory", RACE,
    "Two threads use one word within a launch, at least one writes, and nothing orders them. "
    "Within a block __syncthreads() does, within a warp __syncwarp() (its lanes do not run in "
    "lockstep). Between blocks use atomics, or a second launch, or __threadfence() and an atomic "
    "ticket.")
FINDING(SHARED_BOUNDS, "shared-bounds", "out of bounds in shared memory", BOUNDS,
    "The index must stay within the array, and the array must be the block's own.")
FINDING(GLOBAL_BOUNDS, "global-bounds", "out of bounds in global memory", BOUNDS,
    "Only memory that is allocated and not yet freed may be accessed: compare the index with the "
    "number of elements, since the last block may have more threads than elements are left.")
FINDING(ARRAY_BOUNDS, "array-bounds", "index out of an array", BOUNDS_SYMPTOM,
    "The access reaches another variable, member or row next to the array. Check the index, or "
    "walk all rows by a pointer to the first element.")
FINDING(UNINITIALISED, "shared-uninitialised", "uninitialised shared memory", RACE_SYMPTOM,
    "Shared memory holds garbage when a block begins: a thread of the block must write each word "
    "before it is read, also those behind the end of the data.")
FINDING(UNWRITTEN, "global-uninitialised", "uninitialised global memory", RACE_SYMPTOM,
    "Memory from cudaMalloc holds garbage, and an atomic reads it, too: fill it first, by "
    "cudaMemset or a copy. Are the sizes of these calls in bytes?")
NOTE(UNWRITTEN_COPY, "copy-unwritten", "copy of memory that nobody wrote", OTHER,
    "They hold garbage. Did the kernel leave them out, by a grid that is too small, a guard or "
    "an index? Or does the copy have more bytes than there are results?")
FINDING(HOST_POINTER, "host-pointer", "host pointer in a kernel", OTHER,
    "A kernel can only access device, managed and pinned memory: allocate it by cudaMalloc, and "
    "copy the data there by cudaMemcpy.")
FINDING(HOST_CODE, "host-code", "code of the host in a kernel", OTHER,
    "A kernel cannot call the host's copy of a function. Take its address on the device and keep "
    "it in a __device__ variable, or pass the operation as a functor or template argument. A "
    "kernel must construct objects with virtual functions.")
FINDING(DEVICE_POINTER, "device-pointer", "device pointer on the host", OTHER,
    "The CPU cannot use memory from cudaMalloc: copy it to the host first, by cudaMemcpy.")
FINDING(DIVERGENT_BARRIER, "divergent-barrier", "divergent barrier", OTHER,
    "All threads of a block must reach the same __syncthreads(): move it out of the branch or "
    "loop that only some of them take.")
FINDING(WARP_OPERATION, "warp-mask", "warp operation with a wrong mask", WARP,
    "A lane must be in the mask that it passes, and may only use values of lanes in that mask.")
FINDING(GROUP_INCOMPLETE, "group-incomplete", "operation of a group that is not complete", WARP,
    "All threads of a group must call its operation: form the group before a branch or return, "
    "and launch blocks whose size is a multiple of the tile's.")
FINDING(WIDTH, "shuffle-width", "shuffle with a wrong width", WARP,
    "The width must be 1, 2, 4, 8, 16 or 32; with any other the result is undefined.")
NOTE(ACTIVE_MASK, "active-mask", "__activemask() as the mask of a shuffle", WARP,
    "It names the lanes that happen to be here together, which need not be all lanes of the "
    "branch or warp. Use a full mask, or take one by __ballot_sync() in front of the branch.")
FINDING(UNSEEN_ERROR, "unseen-error", "error nobody looked at", OTHER,
    "The program went on as if nothing had happened: check what every CUDA call returns, and "
    "cudaGetLastError() after every launch.")
NOTE(COMMON_STORE, "common-store", "lanes store one value to one word", RACE_SYMPTOM,
    "Any of these stores may win; as all have the same value, the result is certain. One lane is "
    "enough: if (threadIdx.x % 32 == 0).")
NOTE(EXCHANGED, "launch-order", "many blocks of few threads", OTHER,
    "Are grid and block exchanged? The order is <<<blocks, threads>>>. A warp has 32 lanes, and "
    "those without a thread are wasted.")
NOTE(VOLATILE_FLAG, "volatile-flag", "volatile flag", RACE_SYMPTOM,
    "The word is written while another thread reads it, not by atomics alone: set it by atomicExch "
    "and read it by atomicAdd(p, 0). If it is a flag, the fences on both sides order the data.")
NOTE(FIRST_READ, "cas-read", "plain read of a compare-and-swap loop", OTHER,
    "The atomicCAS that follows detects a change of the word. But a thread that ends without one "
    "relies on a plain read of a word that others change: read it by atomicAdd(p, 0), or as "
    "volatile.")
NOTE(UNSET, "constant-unset", "__constant__ variable that nobody set", OTHER,
    "What is read has no initial value, and the host had copied nothing there when the kernel ran: "
    "call cudaMemcpyToSymbol in front of the launch. Its size is in bytes.")
FINDING(WRONG_FREE, "wrong-free", "wrong free", OTHER,
    "free() and delete are for the host's own memory. Memory of cudaMalloc() is freed by "
    "cudaFree(), and that of cudaMallocHost() by cudaFreeHost().")
NOTE(REFUSED_COPY, "copy-size", "copy that does not fit", OTHER,
    "CUDA refuses it and copies nothing. Sizes are in bytes: is this one a number of elements, "
    "or the sizeof of a pointer?")
FINDING(OVERLAP, "copy-overlap", "copy onto itself", OTHER,
    "The two sides of cudaMemcpy may not overlap: the result is undefined (here it is "
    "memmove's). Copy by way of another array.")
NOTE(DIRECTION, "copy-direction", "copy in the wrong direction", OTHER,
    "The destination comes first: is the direction wrong, or are the two pointers exchanged?")
NOTE(REFUSED_POINTER, "wrong-pointer", "invalid pointer in a call", OTHER,
    "CUDA refuses it and does nothing. cudaFree takes the start of memory from cudaMalloc, once; "
    "a copy or fill needs allocated memory.")
NOTE(REFUSED_LAUNCH, "launch-limit", "launch that the device refuses", OTHER,
    "The kernel does not run, and cudaGetLastError() behind the launch returns the error.")
FINDING(HOST_OVERRUN, "host-overrun", "copy beyond a host array", OTHER,
    "CUDA would copy all bytes, beyond the array's end (here the copy stops there). Sizes are in "
    "bytes: is the array as large as the other one?")
FINDING(DEADLOCK, "deadlock", "deadlock", OTHER,
    "No thread can go on. All living threads of a block must reach the same __syncthreads(), all "
    "lanes of a mask the same warp operation, and a loop that waits needs another thread that "
    "can still end it.")
FINDING(MISALIGNED, "misaligned", "misaligned access", OTHER,
    "An address must be a multiple of the access's size, 16 bytes for float4: a GPU stops the "
    "kernel. Does the index count scalars, or is the row's length odd?")
FINDING(NO_MEMORY, "wild-pointer", "access to no memory at all", BOUNDS,
    "The pointer is null, freed or wild: check cudaMalloc's result and the argument of the "
    "launch.")
FINDING(TRAP, "trap", "__trap()", OTHER,
    "The kernel stopped the program, as it does where a check of its own fails.")
FINDING(DEVICE_VARIABLE, "device-variable", "__device__ variable on the host", OTHER,
    "The host cannot read, write or pass it: cudaMemcpyToSymbol and cudaMemcpyFromSymbol copy "
    "it, cudaGetSymbolAddress gives its address on the device.")
FINDING(DIVISION, "division-by-zero", "integer division by zero", OTHER,
    "A GPU goes on with an unspecified value: test the divisor first.")
FINDING(ASSERT, "assert", "failed assert", OTHER,
    "On a GPU the kernel ends here, and every later call and launch fails with cudaErrorAssert.")
FINDING(RETURN, "missing-return", "function that returns no value", OTHER,
    "It must return a value on every path. Its caller gets an undefined value: nvcc only warns, as "
    "does g++ with -Wall.")
FINDING(GRID, "grid-too-large", "deadlock of a grid that is too large", OTHER,
    "Blocks that wait for others must all run at once: launch at most as many as "
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor gives, times the multiprocessors.")
FINDING(GRID_SYNC, "grid-sync", "grid.sync() in a launch that is not cooperative", OTHER,
    "Its blocks need not all run at once, so a GPU stops the kernel: launch it by "
    "cudaLaunchCooperativeKernel(). grid.is_valid() says whether that was done.")
FINDING(HOST_EARLY, "async-host", "host does not wait", OTHER,
    "Kernels, and asynchronous copies of pinned memory, may still run when their call has "
    "returned: wait (cudaStreamSynchronize, cudaEventSynchronize or cudaDeviceSynchronize) "
    "before the host reads the bytes that they write, or changes those that they read.")
FINDING(EARLY, "early-access", "dependent launch does not wait", OTHER,
    "A launch that may begin before the previous one has ended must call "
    "cudaGridDependencySynchronize() before it touches memory that the previous one uses.")
NOTE(SHIFT, "wide-shift", "shift by the width or more", OTHER,
    "C++ leaves the result open. A GPU shifts all bits out, as is done here. A lane's bit is 1u "
    "<< threadIdx.x % 32.")
NOTE(CONVERSION, "conversion", "number that does not fit an integer", OTHER,
    "C++ leaves the result open. A GPU takes the nearest integer that fits, and 0 for NaN; here "
    "only a cast such as (int)x does the same.")
NOTE(FORMAT, "printf-format", "printf with other output on a GPU", OTHER,
    "A kernel's printf knows h, l and ll, and * for the width. Behind another conversion it "
    "takes the wrong bytes for each argument: cast the argument, and print it by %d, %llu or %f. "
    "The text is shown once the host waits, by cudaDeviceSynchronize() behind the launch.")
#undef FINDING
#undef NOTE
