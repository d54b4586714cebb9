/* Counts what the hooks tell of the host's accesses: a load and a store of each kind of memory. */
#include "cuda_runtime_api.h"
#include "watch/hooks.h"

#include <stdio.h>
#include <stdlib.h>

void __tsan_read4(void *p);
void __tsan_write4(void *p);

static int told;

static void count(uintptr_t address, unsigned size, bool store, bool polls, const void *pc)
{
    (void)address, (void)size, (void)store, (void)polls, (void)pc;
    told++;
}

static void touch(void *p)
{
    __tsan_read4(p);
    __tsan_write4(p);
}

static void say(const char *what)
{
    printf("%s: %d\n", what, told);
    told = 0;
}

int main(void)
{
    static int variable;
    int local, *heap = malloc(sizeof *heap), *device;

    hooks_host_access = count;
    touch(&variable);
    say("before there is device memory");
    if (!heap || cudaMalloc((void **)&device, sizeof *device) != cudaSuccess)
        return 1;
    touch(&variable);
    touch(&local);
    touch(heap);
    say("ordinary memory");
    touch(device);
    say("device memory");
    free(heap);
    return 0;
}
