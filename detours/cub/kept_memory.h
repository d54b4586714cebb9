/* Temporary memory for CUB's calls that take an environment: they allocate and free it in every
 * call. From this resource they get, after the first call, the same memory again, so that no
 * allocation is timed. One call at a time. */
#ifndef KEPT_MEMORY_H
#define KEPT_MEMORY_H

#include "lab.h"

#include <cuda/memory_resource>
#include <cuda/stream_ref>

struct kept_memory {
    void *allocate_sync(size_t bytes, size_t)
    {
        static void *memory;
        static size_t size;

        if (bytes > size) {
            CHECK(cudaFree(memory));
            CHECK(cudaMalloc(&memory, bytes));
            size = bytes;
        }
        return memory;
    }
    void *allocate(cuda::stream_ref, size_t bytes, size_t align)
    {
        return allocate_sync(bytes, align);
    }
    void deallocate_sync(void *, size_t, size_t)
    {
    }
    void deallocate(cuda::stream_ref, void *, size_t, size_t)
    {
    }
    bool operator==(const kept_memory &) const
    {
        return true;
    }
    bool operator!=(const kept_memory &) const
    {
        return false;
    }
};

#endif
