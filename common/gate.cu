/* A word of pinned memory on which GPUs poll. */
#include "gate.h"
#include "check.h"
#include "clock.h"

#include <cuda_runtime.h>

enum { MOST = 64, LIMIT_MS = 20000 };

static volatile unsigned *word;    /* odd: the gate is closed */
static volatile unsigned *arrived; /* for each gate that was enqueued: the word that it waits to see
                                      changed, when it is there */
static int enqueued;

/* No kernel that is timed takes a tenth of that. */
#define SOME_SECONDS (1ll << 34) /* clock cycles */

static __global__ void wait_at_gate(volatile unsigned *word, unsigned closed,
                                    volatile unsigned *arrived)
{
    long long start = clock64();

    *arrived = closed;
    while (*word == closed)
        if (clock64() - start > SOME_SECONDS)
            __trap();
}

/* All GPUs of this process may use it. */
static void pinned(volatile unsigned **words, int count)
{
    CHECK(cudaHostAlloc((void **)words, count * sizeof **words,
                        cudaHostAllocPortable | cudaHostAllocMapped));
    for (int i = 0; i < count; i++)
        (*words)[i] = 0;
}

void gate_share(unsigned *shared)
{
    CHECK(cudaHostRegister(shared, sizeof *shared,
                           cudaHostRegisterPortable | cudaHostRegisterMapped));
    word = shared;
}

void gate_close(void)
{
    if (!word)
        pinned(&word, 1);
    ++*word;
}

void gate_enqueue(void)
{
    if (!word || *word % 2 == 0)
        return;
    if (!arrived)
        pinned(&arrived, MOST);
    wait_at_gate<<<1, 1>>>(word, *word, &arrived[enqueued++]);
    CHECK(cudaGetLastError());
}

void gate_await(void)
{
    for (double begin = clock_ms(); enqueued > 0; enqueued--)
        while (arrived[enqueued - 1] != *word)
            if (clock_ms() - begin > LIMIT_MS) /* what it ran before hangs */
                CHECK(cudaErrorLaunchTimeout);
}

void gate_open(void)
{
    gate_await();
    ++*word;
}
