/* Calls that are seen in front of the library: memset, free and the like; and CUDA's calls of the
 * runtime that are more than a C function: copies whose sides the compiler may know, typed forms,
 * and calls that equal others. cuda_runtime.h, whose macros this file needs, includes it. */
#pragma once

/* ---- memset, memcpy, memmove and memcmp: g++ puts no hook in front of these calls, so they call
 * functions of ours. A copy of a few bytes becomes an access, which has a hook. gnu_inline: code
 * that takes their addresses, and copies for which g++ itself makes calls, use the C library's.
 * ---- */
#define SIMT_SEEN extern "C" inline __attribute__((gnu_inline, always_inline))
#define SIMT_IS_ONE_ACCESS(size)                                                                   \
    (__builtin_constant_p(size) &&                                                                 \
     ((size) == 1 || (size) == 2 || (size) == 4 || (size) == 8 || (size) == 16))

SIMT_SEEN void *memset(void *to, int byte, size_t size) noexcept
{
    return simt_memset(to, byte, size);
}
#define SIMT_SEEN_COPY(name)                                                                       \
    SIMT_SEEN void *name(void *to, const void *from, size_t size) noexcept                         \
    {                                                                                              \
        return SIMT_IS_ONE_ACCESS(size) ? __builtin_memcpy(to, from, size)                         \
                                        : simt_memmove(to, from, size);                            \
    }
SIMT_SEEN_COPY(memcpy)
SIMT_SEEN_COPY(memmove)
SIMT_SEEN int memcmp(const void *a, const void *b, size_t size) noexcept
{
    return simt_memcmp(a, b, size);
}

/* The same for the C++ library, which calls them by g++'s own names (std::equal; std::copy and the
 * range of a vector: cuda_runtime.h). g++ copies a structure by its memcpy, with hooks. */
extern "C" int memcmp(const void *a, const void *b, size_t size) noexcept __asm__("simt_memcmp");

/* Functions of the host alone. */
extern "C" size_t strlen(const char *text) noexcept __asm__("simt_strlen");
extern "C" int strcmp(const char *a, const char *b) noexcept __asm__("simt_strcmp");
extern "C" char *strcpy(char *to, const char *from) noexcept __asm__("simt_strcpy");
extern "C" int puts(const char *text) __asm__("simt_puts");
extern "C" size_t fread(void *, size_t, size_t, struct _IO_FILE *) __asm__("simt_fread");
extern "C" size_t fwrite(const void *, size_t, size_t, struct _IO_FILE *) __asm__("simt_fwrite");

/* ---- free and delete of the host, which may not free the device's memory ---- */
SIMT_SEEN void free(void *ptr) noexcept { simt_free(ptr); }

#define SIMT_SEEN_OPERATOR inline __attribute__((gnu_inline, always_inline))
SIMT_SEEN_OPERATOR void operator delete(void *ptr) noexcept { simt_delete(ptr); }
SIMT_SEEN_OPERATOR void operator delete(void *ptr, size_t) noexcept { simt_delete(ptr); }
SIMT_SEEN_OPERATOR void operator delete[](void *ptr) noexcept { simt_delete_array(ptr); }
SIMT_SEEN_OPERATOR void operator delete[](void *ptr, size_t) noexcept { simt_delete_array(ptr); }

/* ---- copies: the compiler may know how large the host's array is ---- */

namespace simt {
struct host_sides {
    SIMT_INLINE_MEMBER host_sides(size_t to, size_t from) { simt_host_sides(to, from); }
    SIMT_INLINE_MEMBER ~host_sides() { simt_host_sides(SIZE_MAX, SIZE_MAX); }
};
} // namespace simt

#define SIMT_SIDES(to, from)                                                                       \
    simt::host_sides simt_sides(__builtin_object_size(to, 0), __builtin_object_size(from, 0))
/* A function in front of the library's, which gets another name. */
#define SIMT_COPY(name, parameters, arguments)                                                     \
    extern "C" cudaError_t simt_##name parameters __asm__(#name);                                  \
    SIMT_SEEN cudaError_t name parameters                                                          \
    {                                                                                              \
        SIMT_SIDES(to, from);                                                                      \
        return simt_##name arguments;                                                              \
    }
SIMT_COPY(cudaMemcpy, (void *to, const void *from, size_t size, cudaMemcpyKind kind),
          (to, from, size, kind))
SIMT_COPY(cudaMemcpyAsync,
          (void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream),
          (to, from, size, kind, stream))
SIMT_COPY(cudaMemcpy2D,
          (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
           size_t height, cudaMemcpyKind kind),
          (to, to_pitch, from, from_pitch, width, height, kind))

/* ---- calls that equal others, or that change nothing here ---- */
#define SIMT_CALL(...)        SIMT_VALUE(cudaError_t, __VA_ARGS__)
#define SIMT_CALL_OF_ANY(...) template <class T> SIMT_CALL(__VA_ARGS__)
SIMT_CALL(cudaThreadSynchronize, (), cudaDeviceSynchronize())
SIMT_CALL(cudaDeviceReset, (), cudaDeviceSynchronize())
SIMT_CALL(cudaGetDevice, (int *device), *device = 0, cudaSuccess)
SIMT_CALL(cudaChooseDevice, (int *device, const cudaDeviceProp *), cudaGetDevice(device))
/* The one device has no peer: any other number names none. */
SIMT_CALL(cudaDeviceCanAccessPeer, (int *can, int device, int peer), *can = 0,
          cudaSetDevice(device | peer))
SIMT_CALL(cudaMemcpyPeerAsync,
          (void *to, int device, const void *from, int peer, size_t size, cudaStream_t stream = 0),
          cudaSetDevice(device | peer)
              ? cudaErrorInvalidDevice
              : cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToDevice, stream))
SIMT_CALL(cudaMemcpyPeer, (void *to, int device, const void *from, int peer, size_t size),
          cudaMemcpyPeerAsync(to, device, from, peer, size))
SIMT_CALL(cudaEventCreate, (cudaEvent_t * event, unsigned), cudaEventCreate(event))
SIMT_CALL(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned), cudaEventCreate(event))
SIMT_CALL(cudaStreamCreate, (cudaStream_t * stream), cudaStreamCreateWithFlags(stream, 0))
SIMT_CALL(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int),
          cudaStreamCreateWithFlags(stream, flags))
SIMT_CALL(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest), *least = *greatest = 0,
          cudaSuccess)
SIMT_CALL(cudaRuntimeGetVersion, (int *version), cudaDriverGetVersion(version))
SIMT_CALL(cudaSetDeviceFlags, (unsigned), cudaSuccess)
SIMT_CALL(cudaDeviceSetLimit, (cudaLimit, size_t), cudaSuccess)
SIMT_CALL(cudaDeviceSetCacheConfig, (cudaFuncCache), cudaSuccess)
SIMT_CALL(cudaMemPrefetchAsync, (const void *, size_t, int, cudaStream_t = 0), cudaSuccess)
SIMT_CALL(cudaMemPrefetchAsync, (const void *, size_t, cudaMemLocation, unsigned, cudaStream_t = 0),
          cudaSuccess)
/* Host and device have one address space. */
SIMT_CALL_OF_ANY(cudaHostGetDevicePointer, (T * *device, void *host, unsigned), *device = (T *)host,
                 cudaSuccess)
SIMT_CALL_OF_ANY(cudaGetSymbolSize, (size_t * size, const T &), *size = sizeof(T), cudaSuccess)
SIMT_CALL(cudaDeviceSetSharedMemConfig, (cudaSharedMemConfig), cudaSuccess)
/* As on every GPU since Maxwell, whatever the program has set */
SIMT_CALL(cudaDeviceGetSharedMemConfig, (cudaSharedMemConfig * config),
          *config = cudaSharedMemBankSizeFourByte, cudaSuccess)
SIMT_CALL(cudaProfilerStart, (), cudaSuccess) /* there is none */
SIMT_CALL(cudaProfilerStop, (), cudaSuccess)
SIMT_CALL_OF_ANY(cudaMallocAsync, (T * *ptr, size_t size, cudaStream_t),
                 cudaMalloc((void **)ptr, size))
SIMT_CALL_OF_ANY(cudaMallocHost, (T * *ptr, size_t size, unsigned flags = 0),
                 cudaHostAlloc((void **)ptr, size, flags))
/* All earlier requests are done, so the host's function runs at once. */
SIMT_CALL(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data),
          cudaStreamSynchronize(stream) ? cudaErrorInvalidResourceHandle
                                        : (function(data), cudaSuccess))
SIMT_CALL(cudaStreamAddCallback,
          (cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned),
          cudaStreamSynchronize(stream) ? cudaErrorInvalidResourceHandle
                                        : (function(stream, cudaSuccess, data), cudaSuccess))

/* ---- typed forms of the API, which nvcc has, too ---- */
#define SIMT_TYPED(name, parameters, arguments)                                                    \
    template <class T> SIMT_INLINE cudaError_t name parameters { return name arguments; }
SIMT_TYPED(cudaMalloc, (T * *ptr, size_t size), ((void **)ptr, size))
SIMT_TYPED(cudaMallocManaged, (T * *ptr, size_t size, unsigned flags = 1),
           ((void **)ptr, size, flags))
SIMT_TYPED(cudaHostAlloc, (T * *ptr, size_t size, unsigned flags), ((void **)ptr, size, flags))
SIMT_TYPED(cudaMallocPitch, (T * *ptr, size_t *pitch, size_t width, size_t height),
           ((void **)ptr, pitch, width, height))
SIMT_TYPED(cudaGetSymbolAddress, (void **ptr, const T &symbol), (ptr, (const void *)&symbol))
SIMT_TYPED(cudaFuncSetAttribute, (T * kernel, cudaFuncAttribute attr, int value),
           ((const void *)kernel, attr, value))
SIMT_TYPED(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
           (int *blocks, T *kernel, int threads, size_t shared),
           (blocks, (const void *)kernel, threads, shared))

#define SIMT_OF_SYMBOL(name, to_symbol, async, stream, ...)                                        \
    template <class T> SIMT_INLINE cudaError_t name(__VA_ARGS__)                                   \
    {                                                                                              \
        SIMT_SIDES(other, other);                                                                  \
        return simt_copy_symbol(#name, (const void *)&symbol, other, size, offset, kind,           \
                                to_symbol, async, stream);                                         \
    }
SIMT_OF_SYMBOL(cudaMemcpyToSymbol, true, false, 0, const T &symbol, const void *other, size_t size,
               size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice)
SIMT_OF_SYMBOL(cudaMemcpyFromSymbol, false, false, 0, void *other, const T &symbol, size_t size,
               size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
SIMT_OF_SYMBOL(cudaMemcpyToSymbolAsync, true, true, stream, const T &symbol, const void *other,
               size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
               cudaStream_t stream = 0)
SIMT_OF_SYMBOL(cudaMemcpyFromSymbolAsync, false, true, stream, void *other, const T &symbol,
               size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
               cudaStream_t stream = 0)
SIMT_CALL_OF_ANY(cudaFuncSetCacheConfig, (T, cudaFuncCache), cudaSuccess)

/* The largest of the block sizes that keep the most threads on a multiprocessor. */
template <class Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *blocks, int *threads, Kernel kernel,
                                                      size_t shared = 0, int limit = 0)
{
    int multiprocessors, most, count;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0);
    most = limit > 0 && limit < most ? limit : most;
    *blocks = *threads = 0;
    for (int size = most; size > 0; size = (size - 1) / 32 * 32) {
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, (const void *)kernel, size, shared);
        if (count * size > *blocks * *threads)
            *blocks = count, *threads = size;
    }
    *blocks *= multiprocessors;
    return cudaSuccess;
}
#define SIMT_LAUNCH_BY_ADDRESS(name, cooperative, what)                                            \
    template <class... T>                                                                          \
    inline cudaError_t name(void (*kernel)(T...), dim3 grid, dim3 block, void **arguments,         \
                            size_t shared = 0, cudaStream_t stream = 0,                            \
                            const char *file = __builtin_FILE(), int line = __builtin_LINE())      \
    {                                                                                              \
        return simt::launch_by_address(cooperative, {what, file, line}, kernel, grid, block,       \
                                       arguments, shared, stream,                                  \
                                       std::index_sequence_for<T...>());                           \
    }                                                                                              \
    cudaError_t name(const void *kernel, dim3 grid, dim3 block, void **arguments,                  \
                     size_t shared = 0, cudaStream_t stream = 0)                                   \
        __attribute__((                                                                            \
            error("the CPU backend must see the kernel's parameters: pass the kernel itself")));
SIMT_LAUNCH_BY_ADDRESS(cudaLaunchKernel, false, "a launch")
SIMT_LAUNCH_BY_ADDRESS(cudaLaunchCooperativeKernel, true, "a cooperative launch")

SIMT_INLINE void cudaGridDependencySynchronize() { simt_grid_dependency_wait(); }
SIMT_INLINE void cudaTriggerProgrammaticLaunchCompletion() {}
