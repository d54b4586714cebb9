/* The GPUs that one process drives: each with a piece of the array, and a stream to work on. */
#ifndef GPUS_H
#define GPUS_H

#include "on_each_gpu.h"
#include "piece.h"

enum { MAX_GPUS = 64 };

/* GPU 0 is the harness's: it works in the harness's memory and on its stream, the default one. */
static struct gpu {
    int device;
    const elem_t *in; /* its piece, count elements */
    size_t count;
    elem_t *sum, *scratch;
    cudaStream_t stream;
} gpus[MAX_GPUS];
static int gpu_count;
static cudaEvent_t begin; /* of a reduction, in GPU 0's stream */

/* Makes the GPU current, and there memory, a stream and a copy of count elements of GPU 0's. */
static struct gpu gpu_new(int device, const elem_t *from, size_t count)
{
    struct gpu gpu = {device, NULL, count, NULL, NULL, NULL};
    elem_t *copy;

    CHECK(cudaSetDevice(device));
    CHECK(cudaMalloc(&copy, (count + 1) * sizeof(elem_t))); /* a piece may be empty */
    CHECK(cudaMalloc(&gpu.sum, sizeof(elem_t)));
    CHECK(cudaMalloc(&gpu.scratch, scratch_bytes(count)));
    CHECK(cudaStreamCreateWithFlags(&gpu.stream, cudaStreamNonBlocking));
    CHECK(cudaMemcpyPeer(copy, device, from, gpus[0].device, count * sizeof(elem_t)));
    CHECK(cudaDeviceSynchronize());
    gpu.in = copy;
    return gpu;
}

/* Hands the pieces out to all GPUs, but no more than `most`. The current one is number 0. */
static void gpus_set_up(const elem_t *in, elem_t *out, elem_t *scratch, size_t n, int most)
{
    int first, all;

    CHECK(cudaGetDevice(&first));
    CHECK(cudaGetDeviceCount(&all));
    CHECK(cudaEventCreateWithFlags(&begin, cudaEventDisableTiming));
    gpu_count = all < most ? all : most;
    gpus[0] = {first, in, piece_of(n, 0, gpu_count).count, out, scratch, 0};
    for (int g = 1; g < gpu_count; g++) {
        struct piece piece = piece_of(n, g, gpu_count);
        gpus[g] = gpu_new((first + g) % all, in + piece.begin, piece.count);
    }
    CHECK(cudaSetDevice(first));
    lab_gpus(gpu_count);
}

/* Enqueues on every GPU's stream the sum of its piece, to its `sum`. None begins before GPU 0's
 * stream comes to it, and GPU 0 is current in the end. */
static void gpus_reduce(void)
{
    CHECK(cudaEventRecord(begin, 0));
    for (int g = 0; g < gpu_count; g++) {
        CHECK(cudaSetDevice(gpus[g].device));
        CHECK(cudaStreamWaitEvent(gpus[g].stream, begin, 0));
        reduce_piece(gpus[g].in, gpus[g].sum, gpus[g].scratch, gpus[g].count, gpus[g].stream);
    }
    CHECK(cudaSetDevice(gpus[0].device));
}

#endif
