/* GPUs that store into each other's memory: as multi-gpu, with a single launch on each GPU.
 *
 * Read it after multi-gpu, where NCCL adds up one number from each GPU. NCCL is made for more: it
 * needs a kernel of its own, and the GPUs' kernels talk to each other before any number is sent.
 *
 * Idea: once a GPU may access another one's memory (cudaDeviceEnablePeerAccess), its kernels store
 * there as anywhere. The last block of each GPU, which knows the GPU's sum, puts it into a
 * mailbox in GPU 0's memory: one store of 8 bytes that is both the sum and the signal that it is
 * there, as in single-pass. The last block of GPU 0 waits for all of them. Nothing else is
 * exchanged, so what two GPUs cost is one trip of a store from one to the other.
 *
 * A GPU may be rounds ahead of GPU 0, since nothing holds it back, and must not fill a mailbox that
 * is not empty yet. So each round of a lap has mailboxes of its own, and no GPU begins a new lap
 * before GPU 0 has ended the old one.
 *
 * How it is timed: as multi-gpu.
 *
 * Look at: the time, beside those of multi-gpu and of single-pass --gate, at 2^10, 2^22 and 2^28.
 * From which n on do you expect two GPUs to be worth it? How long does a store take to the other
 * GPU? At which n will NCCL be as fast? (What came of it stands in plots/measure/README.md.)
 *
 * Source: the CUDA C++ Programming Guide, peer-to-peer memory access. */
#include "lab.h"

#ifdef SIMT

int main(int argc, char **argv)
{
    return lab_needs_gpu(argc, argv, "others that reach its memory");
}

#else

/* Where a GPU's sum goes; and on GPU 0, the number 0, where the others' come from. */
struct destination {
    volatile unsigned long long *mailbox; /* one for each GPU; 0: empty */
    elem_t *out;                          /* for the sum of all */
    volatile int *missing;                /* the GPU whose sum did not come, in pinned memory */
    int gpu, gpus;
};
static __device__ void deliver(struct destination to, elem_t sum);

#define PART
#define DESTINATION
#include "../single-pass/main.cu"

#include "../multi-gpu/gpus.h"

#include <stdio.h>
#include <stdlib.h>

#define AT_ONCE 8            /* mailboxes that a thread asks for before it waits for an answer */
#define LIMIT   (20ll << 30) /* clock cycles, some ten seconds */

/* The words of count mailboxes, count <= AT_ONCE, when all of them are full. */
static __device__ void await(const struct destination *to, int first, int count,
                             unsigned long long *words)
{
    long long begin = clock64();
    int empty;

    do {
        empty = -1;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            words[k] = k < count ? to->mailbox[first + k] : NO_SUM;
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            empty = words[k] == 0 ? first + k : empty;
        if (empty >= 0 && clock64() - begin > LIMIT) {
            *to->missing = empty;
            __threadfence_system();
            __trap();
        }
    } while (empty >= 0);
}

/* By the one thread that knows the GPU's sum. GPU 0 adds the others' in their order. */
static __device__ void deliver(struct destination to, elem_t sum)
{
    unsigned long long words[AT_ONCE];

    if (to.gpu > 0) {
        to.mailbox[to.gpu] = word_of(sum);
        return;
    }
    for (int first = 1; first < to.gpus; first += AT_ONCE) {
        int count = to.gpus - first < AT_ONCE ? to.gpus - first : AT_ONCE;

        await(&to, first, count, words);
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (k < count) {
                sum += sum_of(words[k]);
                to.mailbox[first + k] = 0; /* as the next lap wants it */
            }
        }
    }
    *to.out = sum;
}

#define LAP 64 /* rounds */

static unsigned long long *mailboxes; /* on GPU 0: one a GPU for each round of a lap */
static volatile int *missing;
static cudaEvent_t lap_ended;

/* Lets the GPU store in GPU 0's memory. */
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
    CHECK(cudaSetDevice(gpus[0].device));
}

/* At the end, behind the error of the launch that waited in vain. */
static void tell_what_is_missing(void)
{
    if (*missing)
        fprintf(stderr, "multi-gpu-peer: the sum of GPU %d never came\n", gpus[*missing].device);
}

static void set_up(const elem_t *in, size_t n)
{
    gpus_set_up(in, n, MOST_GPUS);
    if (gpu_count == 1)
        fprintf(stderr, "multi-gpu-peer: one GPU here: it does all the work alone\n");
    for (int g = 1; g < gpu_count; g++)
        reach_gpu_0(g);
    CHECK(cudaMalloc(&mailboxes, LAP * gpu_count * sizeof *mailboxes));
    CHECK(cudaMemset(mailboxes, 0, LAP * gpu_count * sizeof *mailboxes));
    CHECK(cudaEventCreateWithFlags(&lap_ended, cudaEventDisableTiming));
    CHECK(cudaHostAlloc((void **)&missing, sizeof *missing, cudaHostAllocMapped));
    *missing = 0;
    atexit(tell_what_is_missing);
    CHECK(cudaDeviceSynchronize());
}

/* The other GPUs wait until GPU 0 has done all that was enqueued there. */
static void end_lap(void)
{
    CHECK(cudaEventRecord(lap_ended, 0));
    for (int g = gpu_count - 1; g > 0; g--) {
        CHECK(cudaSetDevice(gpus[g].device));
        CHECK(cudaStreamWaitEvent(0, lap_ended, 0));
    }
    CHECK(cudaSetDevice(gpus[0].device));
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    static unsigned round;
    struct destination to[MOST_GPUS];

    (void)scratch;
    if (gpu_count == 0) /* the first, untimed call; the arguments are the same in all of them */
        set_up(in, n);
    for (int g = 0; g < gpu_count; g++)
        to[g] = {mailboxes + round % LAP * gpu_count, out, missing, g, gpu_count};
    gpus_reduce(to);
    if (++round % LAP == 0)
        end_lap();
}

int main(int argc, char **argv)
{
    return lab_main(argc, argv, reduce);
}

#endif
