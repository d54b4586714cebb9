/* All GPUs of the machine: each reduces a piece of the array, NCCL adds up their sums.
 *
 * Read it after step 07, which waits for nothing but the memory of its GPU. What still helps is the
 * memory of another GPU.
 *
 * Idea: every GPU holds a piece of the array and reduces it as step 07 does, all at the same time.
 * Then ncclReduce adds up one number from each. Programs that use several GPUs keep their data
 * spread over them, so handing out the pieces is not timed.
 *
 * How it is timed: by events in the default stream of GPU 0 (the one of -d). The others begin when
 * that stream comes to the reduction, and it waits for their sums. Only GPU 0's cache is emptied,
 * but its piece is as large as any: the whole takes as long as one piece from memory, or longer.
 *
 * Expect: on two H200s nearly twice the speed of step 07 from 2^30 ints on; 2^31 of them, 2^30
 * each, are read at 9.2 TB/s, 95 % of what the two memories can do. Up to 2^24 one GPU is as fast
 * or faster: waiting for each other takes longer than the reduction.
 *
 * CUDA_VISIBLE_DEVICES=0,1 ./multi-gpu takes these two only. Built without NCCL, it takes one.
 *
 * Source: NCCL's documentation, one process that drives several devices. */
#include "lab.h"

#ifdef SIMT

int main(int argc, char **argv)
{
    return lab_needs_gpu(argc, argv, "NCCL, NVIDIA's library for several of them");
}

#else

#include "on_each_gpu.h"
#include "piece.h"

#include <stdio.h>

#ifdef NO_NCCL
enum { MAX_GPUS = 1 };
#define ALONE "built without NCCL: one GPU does all the work; NCCL installed? make -B multi-gpu"
#else
enum { MAX_GPUS = 64 };
#define ALONE "one GPU here: it does all the work alone"
#endif

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

static void set_up(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    int first, all;

    CHECK(cudaGetDevice(&first));
    CHECK(cudaGetDeviceCount(&all));
    CHECK(cudaEventCreateWithFlags(&begin, cudaEventDisableTiming));
    gpu_count = all < MAX_GPUS ? all : MAX_GPUS;
    gpus[0] = {first, in, piece_of(n, 0, gpu_count).count, out, scratch, 0};
    for (int g = 1; g < gpu_count; g++) {
        struct piece piece = piece_of(n, g, gpu_count);
        gpus[g] = gpu_new((first + g) % all, in + piece.begin, piece.count);
    }
    CHECK(cudaSetDevice(first));
    lab_gpus(gpu_count);
    if (gpu_count == 1)
        fprintf(stderr, "multi-gpu: " ALONE "\n");
}

/* Enqueues on every GPU's stream: all sums, added up, to *out on GPU 0. */
static void add_sums(elem_t *out)
{
#ifdef NO_NCCL
    (void)out; /* where the one GPU's sum is already */
#else
    static ncclComm_t comms[MAX_GPUS];

    if (!comms[0]) {
        int devices[MAX_GPUS];
        for (int g = 0; g < gpu_count; g++)
            devices[g] = gpus[g].device;
        NCCL(ncclCommInitAll(comms, gpu_count, devices));
    }
    NCCL(ncclGroupStart()); /* one thread calls for all GPUs: none waits for the calls to come */
    for (int g = 0; g < gpu_count; g++)
        NCCL(ncclReduce(gpus[g].sum, out, 1, NCCL_ELEM, ncclSum, 0, comms[g], gpus[g].stream));
    NCCL(ncclGroupEnd());
#endif
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    if (gpu_count == 0) /* the first, untimed call; the arguments are the same in all of them */
        set_up(in, out, scratch, n);

    CHECK(cudaEventRecord(begin, 0));
    for (int g = 0; g < gpu_count; g++) {
        CHECK(cudaSetDevice(gpus[g].device));
        CHECK(cudaStreamWaitEvent(gpus[g].stream, begin, 0));
        reduce_piece(gpus[g].in, gpus[g].sum, gpus[g].scratch, gpus[g].count, gpus[g].stream);
    }
    CHECK(cudaSetDevice(gpus[0].device));
    add_sums(out);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}

#endif
