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
 * Look at: the time and the bandwidth, beside those of step 07, at 2^20, 2^24 and 2^30. What must
 * two GPUs do that one need not? From which of these n on do you expect them to be worth it, and
 * how near to the bandwidth of two memories will they come?
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

#include "gpus.h"

#include <stdio.h>

#ifdef NO_NCCL
#define MOST      1
#define NCCL_NAME "" /* of no library */
#define ALONE     "built without NCCL: one GPU does all the work; NCCL installed? make -B multi-gpu"
#else
#include "nccl_check.h"
#define MOST  MAX_GPUS
#define ALONE "one GPU here: it does all the work alone"
#endif

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
    if (gpu_count == 0) { /* the first, untimed call; the arguments are the same in all of them */
        gpus_set_up(in, out, scratch, n, MOST);
        if (gpu_count == 1)
            fprintf(stderr, "multi-gpu: " ALONE "\n");
    }
    gpus_reduce();
    add_sums(out);
}

int main(int argc, char **argv)
{
    lab_uses(NCCL_NAME);
    return lab_main(argc, argv, reduce);
}

#endif
