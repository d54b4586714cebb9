/* Inside the CPU backend: what its parts of CUDA's runtime API share. */
#ifndef SIMT_RUNTIME_H
#define SIMT_RUNTIME_H

#include "cuda_runtime_api.h"
#include "simt_device.h"

/* What the device claims to be. The number of multiprocessors is fixed, so that a program launches
 * the same grid on every computer. Compute capability 8.0 has every instruction that the backend
 * has. */
enum {
    DEVICE_MULTIPROCESSORS = 16,
    DEVICE_MAJOR = 8,
    DEVICE_MINOR = 0,
    DEVICE_THREADS_PER_BLOCK = 1024,
    DEVICE_THREADS_PER_MULTIPROCESSOR = 2048,
    DEVICE_BLOCKS_PER_MULTIPROCESSOR = 32,
    DEVICE_SHARED_PER_BLOCK = 48 * 1024,
    DEVICE_SHARED_OPTIN = 96 * 1024,
    DEVICE_L2_BYTES = 4 * 1024 * 1024
};

/* Remembers error as the last one of this host thread unless it is cudaSuccess; returns it. */
cudaError_t runtime_error(cudaError_t error);

/* At the program's end: an error that was thrown away (simt_discard) and never fetched becomes a
 * finding. */
void runtime_check_last_error(void);

/* Bytes of device memory: half of the computer's. */
size_t memory_capacity(void);

/* Bytes of dynamic shared memory that kernels may ask for. */
size_t runtime_shared_limit(void);

#endif
