/* The table of all kinds of findings: name, id, title, rule. Each include says what an entry is to
 * become, by a macro FINDING and one NOTE. */
FINDING(SHARED_RACE, "shared-race", "race in shared memory",
    "Two threads use one word, at least one writes, and nothing orders them: put a\n"
    "  __syncthreads() between them (__syncwarp() within a warp). Since Volta the lanes of\n"
    "  a warp do not run in lockstep; neither volatile nor a shuffle orders memory.")
FINDING(GLOBAL_RACE, "global-race", "race in global memory",
    "Two threads use one word within a launch, at least one writes, and nothing orders\n"
    "  them. Within a block __syncthreads() does. Between blocks use atomics, or a second\n"
    "  launch, or __threadfence() and an atomic ticket.")
FINDING(SHARED_BOUNDS, "shared-bounds", "out of bounds in shared memory",
    "The index must stay within the array, and the array must be the block's own.")
FINDING(GLOBAL_BOUNDS, "global-bounds", "out of bounds in global memory",
    "A kernel may only access allocated memory: compare the index with the number of\n"
    "  elements, since the last block may have more threads than elements are left.")
FINDING(ARRAY_BOUNDS, "array-bounds", "index out of an array",
    "The access reaches another variable, member or row next to the array. Check the\n"
    "  index, or walk all rows by a pointer to the first element.")
FINDING(UNINITIALISED, "shared-uninitialised", "uninitialised shared memory",
    "Shared memory holds garbage when a block begins: some thread of this block must\n"
    "  write the word first, also where the data ends before the array does.")
FINDING(UNWRITTEN, "global-uninitialised", "uninitialised global memory",
    "Memory from cudaMalloc holds garbage, and an atomic reads it, too: fill it first, by\n"
    "  cudaMemset or a copy. Are the sizes of these calls in bytes?")
NOTE(UNWRITTEN_COPY, "copy-unwritten", "copy of memory that nobody wrote",
    "They hold garbage. Did the kernel leave them out, by a grid that is too small, a guard or\n"
    "  an index? Or does the copy have more bytes than there are results?")
FINDING(HOST_POINTER, "host-pointer", "host pointer in a kernel",
    "A kernel can only access device, managed and pinned memory: allocate it by cudaMalloc,\n"
    "  and copy the data there by cudaMemcpy.")
FINDING(HOST_CODE, "host-code", "code of the host in a kernel",
    "A GPU has functions of its own. The address of one is to be taken on the device: keep it\n"
    "  in a __device__ variable, or make the operation a functor or a template's argument;\n"
    "  objects with virtual functions are to be made by a kernel.")
FINDING(DEVICE_POINTER, "device-pointer", "device pointer on the host",
    "The CPU cannot use memory from cudaMalloc: copy it to the host first, by cudaMemcpy.")
FINDING(DIVERGENT_BARRIER, "divergent-barrier", "divergent barrier",
    "All threads of a block must reach the same __syncthreads(): move it out of the\n"
    "  branch or loop that only some of them take.")
FINDING(WARP_OPERATION, "warp-mask", "warp operation with a wrong mask",
    "A lane must be in the mask that it passes, and may only use values of lanes in that\n"
    "  mask.")
FINDING(GROUP_INCOMPLETE, "group-incomplete", "operation of a group that is not complete",
    "All threads of a group must call its operation: form the group where all are, before a\n"
    "  branch or return, and of a block whose size is a multiple of the tile's.")
FINDING(WIDTH, "shuffle-width", "shuffle with a wrong width",
    "The width must be 1, 2, 4, 8, 16 or 32; with any other the result is undefined.")
NOTE(ACTIVE_MASK, "active-mask", "__activemask() as the mask of a shuffle",
    "It names the lanes that happen to be here together, which need not be all lanes of\n"
    "  the branch or warp. Use a full mask, or take one by __ballot_sync() in front of the\n"
    "  branch.")
FINDING(UNSEEN_ERROR, "unseen-error", "error nobody looked at",
    "The program went on as if nothing had happened: check what every CUDA call returns,\n"
    "  and cudaGetLastError() after every launch.")
NOTE(COMMON_STORE, "common-store", "lanes store one value to one word",
    "Any of these stores may win; as all have the same value, the result is certain. One\n"
    "  lane is enough: if (threadIdx.x % 32 == 0).")
NOTE(EXCHANGED, "launch-order", "many blocks of few threads",
    "Are grid and block exchanged? The order is <<<blocks, threads>>>. A warp has 32\n"
    "  lanes, and those without a thread are wasted.")
NOTE(VOLATILE_FLAG, "volatile-flag", "volatile flag",
    "The fences on both sides order the data. The flag itself is read and written at the\n"
    "  same time without atomics: set it by atomicExch, and read it by atomicAdd(p, 0).")
NOTE(FIRST_READ, "cas-read", "plain read of a compare-and-swap loop",
    "The atomicCAS behind it finds out if the word has changed; but a thread that ends without\n"
    "  one trusts a plain read, while others change the word. Read it by atomicAdd(p, 0), or\n"
    "  as volatile.")
NOTE(UNSET, "constant-unset", "__constant__ variable that nobody set",
    "It has no initial value, and the host had copied nothing to it when the kernel ran:\n"
    "  call cudaMemcpyToSymbol in front of the launch.")
FINDING(WRONG_FREE, "wrong-free", "wrong free",
    "free() and delete are for the host's own memory. What cudaMalloc() and its like gave\n"
    "  goes back by cudaFree(), cudaFreeHost() and their like.")
NOTE(REFUSED_COPY, "copy-size", "copy that does not fit",
    "CUDA refuses it and copies nothing. Sizes are in bytes: is this one a number of\n"
    "  elements, or the sizeof of a pointer?")
FINDING(OVERLAP, "copy-overlap", "copy onto itself",
    "The two sides of cudaMemcpy may not overlap: the result is undefined (here it is memmove's).\n"
    "  Copy by way of another array.")
NOTE(DIRECTION, "copy-direction", "copy in the wrong direction",
    "CUDA refuses it and copies nothing. The destination comes first: is the direction wrong,\n"
    "  or are the two pointers exchanged?")
NOTE(REFUSED_POINTER, "wrong-pointer", "invalid pointer in a call",
    "CUDA refuses it and does nothing. cudaFree takes the start of memory from\n"
    "  cudaMalloc, once; a copy or fill needs allocated memory.")
NOTE(REFUSED_LAUNCH, "launch-limit", "launch that the device refuses",
    "The kernel does not run, and cudaGetLastError() behind the launch returns the error.")
FINDING(HOST_OVERRUN, "host-overrun", "copy beyond a host array",
    "CUDA would copy all bytes, beyond the array's end (here the copy stops there). Sizes\n"
    "  are in bytes: is the array as large as the other one?")
FINDING(DEADLOCK, "deadlock", "deadlock",
    "No thread can go on. All living threads of a block must reach the same\n"
    "  __syncthreads(), all lanes of a mask the same warp operation, and a loop that waits\n"
    "  needs another thread that can still end it.")
FINDING(MISALIGNED, "misaligned", "misaligned access",
    "An address must be a multiple of the access's size, 16 bytes for float4: a GPU stops\n"
    "  the kernel. Does the index count scalars, or is the row's length odd?")
FINDING(NO_MEMORY, "wild-pointer", "access to no memory at all",
    "The pointer is null, freed or wild: check cudaMalloc's result and the\n"
    "  argument of the launch.")
FINDING(TRAP, "trap", "__trap()",
    "The kernel stopped the program, as it does where a check of its own fails.")
FINDING(DEVICE_VARIABLE, "device-variable", "__device__ variable on the host",
    "The host cannot read, write or pass it: cudaMemcpyToSymbol and cudaMemcpyFromSymbol\n"
    "  copy it, cudaGetSymbolAddress gives its address on the device.")
FINDING(DIVISION, "division-by-zero", "integer division by zero",
    "A GPU goes on with an unspecified value: test the divisor first.")
FINDING(ASSERT, "assert", "failed assert",
    "On a GPU the kernel ends here, and every later call and launch fails with\n"
    "  cudaErrorAssert.")
FINDING(RETURN, "missing-return", "function that returns no value",
    "It should return a value on every path, but ends without one. What its caller gets is\n"
    "  undefined: nvcc only warns, as does g++ with -Wall.")
FINDING(GRID, "grid-too-large", "deadlock of a grid that is too large",
    "Blocks that wait for others must all run at once: launch at most as many as\n"
    "  cudaOccupancyMaxActiveBlocksPerMultiprocessor gives, times the multiprocessors.")
FINDING(GRID_SYNC, "grid-sync", "grid.sync() in a launch that is not cooperative",
    "Its blocks need not all run at once, so a GPU stops the kernel: launch it by\n"
    "  cudaLaunchCooperativeKernel(). grid.is_valid() says whether that was done.")
FINDING(HOST_EARLY, "async-host", "host does not wait",
    "Kernels, and asynchronous copies of pinned memory, may still run when their call has\n"
    "  returned: wait (cudaStreamSynchronize, cudaEventSynchronize or\n"
    "  cudaDeviceSynchronize) before the host reads the bytes that they write, or changes\n"
    "  those that they read.")
FINDING(EARLY, "early-access", "dependent launch does not wait",
    "A launch that may begin before the one before it has ended calls\n"
    "  cudaGridDependencySynchronize() before it touches what that one touches.")
NOTE(SHIFT, "wide-shift", "shift by the width or more",
    "C++ leaves the result open. A GPU shifts all bits out, as is done here. A lane's bit is\n"
    "  1u << threadIdx.x % 32.")
NOTE(CONVERSION, "conversion", "number that does not fit an integer",
    "C++ leaves the result open. A GPU takes the nearest integer that fits, and 0 for NaN; here\n"
    "  only a cast does, such as (int)x.")
NOTE(FORMAT, "printf-format", "printf that a GPU does not understand",
    "A kernel's printf knows h, l and ll, and * for the width. Behind another conversion it takes\n"
    "  the wrong bytes for each argument: cast the argument, and print it by %d, %llu or %f.")
#undef FINDING
#undef NOTE
