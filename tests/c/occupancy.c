/* Holds our occupancy against NVIDIA's (cuda_occupancy.h): every device, and many a kernel. Prints
 * how many answers agree, or the first that do not. */
#include "run/facts.h"
#include "run/end.h"

#include <cuda_occupancy.h>
#include <stdio.h>
#include <stdlib.h>

static int theirs(const struct device_facts *facts, struct block_needs needs)
{
    size_t shared = (size_t)facts->shared_kib * 1024, most = (size_t)facts->shared_block_kib * 1024;
    cudaOccDeviceProp device = {
        .computeMajor = facts->major,
        .computeMinor = facts->minor,
        .maxThreadsPerBlock = DEVICE_THREADS_PER_BLOCK,
        .maxThreadsPerMultiprocessor = facts->threads,
        .regsPerBlock = DEVICE_REGISTERS,
        .regsPerMultiprocessor = DEVICE_REGISTERS,
        .warpSize = 32,
        .sharedMemPerBlock = DEVICE_SHARED_PER_BLOCK,
        .sharedMemPerMultiprocessor = shared,
        .numSms = facts->multiprocessors,
        .sharedMemPerBlockOptin = most,
        .reservedSharedMemPerBlock = shared - most,
    };
    cudaOccFuncAttributes kernel = {.maxThreadsPerBlock = DEVICE_THREADS_PER_BLOCK,
                                    .numRegs = (int)needs.registers,
                                    .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                    .maxDynamicSharedSizeBytes = needs.shared};
    cudaOccDeviceState state = {.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    cudaOccResult result;

    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state,
                                                (int)needs.threads,
                                                needs.shared) != CUDA_OCC_SUCCESS)
        return -1;
    return result.activeBlocksPerMultiprocessor;
}

int main(void)
{
    const struct device_facts *facts = device_facts();
    unsigned agree = 0;

    for (struct block_needs needs = {.threads = 1}; needs.threads <= 1024; needs.threads += 31)
        for (needs.registers = 16; needs.registers <= 255; needs.registers++)
            for (needs.shared = 0; needs.shared <= (size_t)facts->shared_block_kib * 1024;
                 needs.shared = 2 * needs.shared + 1000, agree++)
                if (theirs(facts, needs) != (int)occupancy_blocks(facts, needs)) {
                    printf("%u threads, %u registers, %zu bytes: %d, not %u\n", needs.threads,
                           needs.registers, needs.shared, theirs(facts, needs),
                           occupancy_blocks(facts, needs));
                    return 1;
                }
    printf("%u agree\n", agree);
    return 0;
}
