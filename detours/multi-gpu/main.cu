/* All GPUs of the machine: each reduces a piece of the array, NCCL adds up their sums.
 *
 * Read it after single-pass, which waits for nothing but the memory of its GPU. Only a second GPU
 * adds more memory bandwidth.
 *
 * Idea: every GPU holds a piece of the array and reduces it as single-pass does, all at the same
 * time. Then ncclReduce adds up one number from each. Programs that use several GPUs keep their
 * data spread over them, so handing out the pieces is not timed.
 *
 * How it is timed: by events in the default stream of GPU 0 (the one of -d). Everything is enqueued
 * on all GPUs behind a gate, and the clock runs from the moment when the CPU opens it (the
 * harness's gate.h). The caches of all GPUs are emptied before.
 *
 * Look at: the time and the bandwidth, beside those of single-pass --gate, at 2^20, 2^24 and 2^30.
 * What must two GPUs do that one need not? From which of these n on do you expect them to be worth
 * it, and how near to the bandwidth of two memories will they come?
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

#define PART
#include "../single-pass/main.cu"

#include "gpus.h"

#include <stdio.h>

#ifdef NO_NCCL
#define MOST      1
#define NCCL_NAME "" /* of no library */
#define ALONE     "built without NCCL: one GPU does all the work; NCCL installed? make -B multi-gpu"
#else
#include "nccl_check.h"
#define MOST  MOST_GPUS
#define ALONE "one GPU here: it does all the work alone"
#endif

static elem_t *sums[MOST_GPUS]; /* one on each GPU, for the sum of its piece */

static void set_up(const elem_t *in, elem_t *out, size_t n)
{
    gpus_set_up(in, n, MOST);
    if (gpu_count == 1)
        fprintf(stderr, "multi-gpu: " ALONE "\n");
    for (int g = gpu_count - 1; g > 0; g--) {
        CHECK(cudaSetDevice(gpus[g].device));
        CHECK(cudaMalloc(&sums[g], sizeof(elem_t)));
    }
    CHECK(cudaSetDevice(gpus[0].device));
    sums[0] = out;
}

/* Enqueues on every GPU: all sums, added up, to sums[0]. */
static void add_sums(void)
{
#ifndef NO_NCCL /* without it the one GPU's sum is there already */
    static ncclComm_t comms[MOST_GPUS];

    if (!comms[0]) {
        int devices[MOST_GPUS];
        for (int g = 0; g < gpu_count; g++)
            devices[g] = gpus[g].device;
        NCCL(ncclCommInitAll(comms, gpu_count, devices));
    }
    NCCL(ncclGroupStart()); /* one thread calls for all GPUs: none waits for the calls to come */
    for (int g = 0; g < gpu_count; g++)
        NCCL(ncclReduce(sums[g], sums[0], 1, NCCL_ELEM, ncclSum, 0, comms[g], 0));
    NCCL(ncclGroupEnd());
#endif
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    (void)scratch;
    if (gpu_count == 0) /* the first, untimed call; the arguments are the same in all of them */
        set_up(in, out, n);
    gpus_reduce(sums);
    add_sums();
}

int main(int argc, char **argv)
{
    lab_uses(NCCL_NAME);
    return lab_main(argc, argv, reduce);
}

#endif
