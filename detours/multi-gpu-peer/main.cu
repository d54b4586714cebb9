/* GPUs that store in each other's memory: as multi-gpu, but no library adds up their sums.
 *
 * Read it after multi-gpu, where NCCL adds up one number from each GPU. NCCL is made for more.
 *
 * Idea: once a GPU may access another one's memory (cudaDeviceEnablePeerAccess), its kernels store
 * there like anywhere: each GPU's sum goes straight to a place in GPU 0's memory. GPU 0's stream
 * waits for an event behind each of these stores, and a last launch of one block adds up the sums.
 *
 * How it is timed: as multi-gpu.
 *
 * Look at: the time, beside that of multi-gpu, at 2^10, 2^20 and 2^28. Which do you expect to win:
 * an event each way and one launch more, or one kernel of NCCL's? Why? At which n will it hardly
 * matter? (What came of it stands in plots/measure/README.md.)
 *
 * Source: the CUDA C++ Programming Guide, peer-to-peer memory access. */
#include "lab.h"

#ifdef SIMT

int main(int argc, char **argv)
{
    return lab_needs_gpu(argc, argv, "others that reach its memory");
}

#else

#include "../multi-gpu/gpus.h"

#include <stdio.h>
#include <stdlib.h>

static elem_t *sums;                    /* on GPU 0, one from each GPU */
static cudaEvent_t is_stored[MAX_GPUS]; /* the GPU's sum; none of GPU 0's */

/* Lets the GPU store its sum on GPU 0, and makes its event. */
static void reach_gpu_0(int g)
{
    int can = 0;

    CHECK(cudaDeviceCanAccessPeer(&can, gpus[g].device, gpus[0].device));
    if (!can) {
        fprintf(stderr, "multi-gpu-peer: GPU %d cannot reach the memory of GPU %d: use multi-gpu\n",
                gpus[g].device, gpus[0].device);
        exit(3);
    }
    CHECK(cudaSetDevice(gpus[g].device));
    CHECK(cudaDeviceEnablePeerAccess(gpus[0].device, 0));
    CHECK(cudaEventCreateWithFlags(&is_stored[g], cudaEventDisableTiming));
    CHECK(cudaSetDevice(gpus[0].device));
}

static void set_up(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    gpus_set_up(in, out, scratch, n, MAX_GPUS);
    CHECK(cudaMalloc(&sums, gpu_count * sizeof(elem_t)));
    for (int g = 0; g < gpu_count; g++) {
        gpus[g].sum = sums + g;
        if (g > 0)
            reach_gpu_0(g);
    }
    if (gpu_count == 1)
        fprintf(stderr, "multi-gpu-peer: one GPU here: it does all the work alone\n");
}

/* The last launch: from then on all sums are there, since GPU 0's stream waits for them. */
static void add_sums(elem_t *out)
{
    for (int g = 1; g < gpu_count; g++) {
        CHECK(cudaEventRecord(is_stored[g], gpus[g].stream));
        CHECK(cudaStreamWaitEvent(0, is_stored[g], 0));
    }
    reduce_piece(sums, out, NULL, gpu_count, 0); /* of one block: it needs no scratch */
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    if (gpu_count == 0) /* the first, untimed call; the arguments are the same in all of them */
        set_up(in, out, scratch, n);
    gpus_reduce();
    add_sums(out);
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}

#endif
