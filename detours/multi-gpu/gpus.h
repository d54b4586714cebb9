/* The GPUs that one process drives, each with a piece of the array. Included behind single-pass,
 * which is what each of them does. */
#ifndef GPUS_H
#define GPUS_H

#include "piece.h"

enum { MOST_GPUS = 64 };

/* Each works on its default stream. GPU 0 is the harness's, and works in the harness's memory. */
static struct gpu {
    int device;
    const elem_t *in; /* its piece, count elements */
    size_t count;
} gpus[MOST_GPUS];
static int gpu_count;

/* Makes the GPU current, and there a copy of count elements of GPU 0's. */
static struct gpu gpu_new(int device, const elem_t *from, size_t count)
{
    elem_t *copy;

    CHECK(cudaSetDevice(device));
    CHECK(cudaMalloc(&copy, (count + 1) * sizeof(elem_t))); /* a piece may be empty */
    CHECK(cudaMemcpyPeer(copy, device, from, gpus[0].device, count * sizeof(elem_t)));
    CHECK(cudaDeviceSynchronize());
    return {device, copy, count};
}

/* Hands the pieces out to all GPUs, but no more than `most`. The current one is number 0. */
static void gpus_set_up(const elem_t *in, size_t n, int most)
{
    int first, all, others[MOST_GPUS];

    CHECK(cudaGetDevice(&first));
    CHECK(cudaGetDeviceCount(&all));
    gpu_count = all < most ? all : most;
    gpus[0] = {first, in, piece_of(n, 0, gpu_count).count};
    for (int g = 1; g < gpu_count; g++) {
        struct piece piece = piece_of(n, g, gpu_count);

        others[g - 1] = (first + g) % all;
        gpus[g] = gpu_new(others[g - 1], in + piece.begin, piece.count);
    }
    CHECK(cudaSetDevice(first));
    lab_gpus(gpu_count, others, gpu_count - 1);
}

/* Enqueues on every GPU the sum of its piece, to to[g]. GPU 0 comes last, and is current then. */
static void gpus_reduce(const destination *to)
{
    for (int g = gpu_count - 1; g >= 0; g--) {
        CHECK(cudaSetDevice(gpus[g].device));
        reduce_to(to[g], gpus[g].in, gpus[g].count);
    }
}

#endif
