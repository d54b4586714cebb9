/* What is known of some GPUs.
 *
 * Limits of a multiprocessor: CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability". Multiprocessors, clocks (the highest), bus and L2 cache: NVIDIA's data sheets and
 * architecture white papers of Turing (TU104), A100, Ada (AD102, AD104) and H100; for the H200, the
 * L2 cache and the memory's clock as the driver reports them. The memory transfers twice a clock:
 * 2 * memory_mhz * bus_bits / 8 is the vendor's bandwidth. */
#define _GNU_SOURCE
#include "run/facts.h"
#include "run/end.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* small is nobody's: few multiprocessors, so that a grid as large as the device is soon run.
 * Compute capability 9.0 has every instruction that the backend has. */
static const struct device_facts devices[] = {
    {"small", NULL, 9, 0, 16, 2048, 32, 96, 96, 4096, 0, 0, 0},
    {"h200", "NVIDIA H200", 9, 0, 132, 2048, 32, 228, 227, 60 * 1024, 1980, 3201, 6016},
    {"h100", "NVIDIA H100 SXM", 9, 0, 132, 2048, 32, 228, 227, 50 * 1024, 1980, 2619, 5120},
    {"a100", "NVIDIA A100 80GB SXM", 8, 0, 108, 2048, 32, 164, 163, 40 * 1024, 1410, 1593, 5120},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 1536, 24, 100, 99, 72 * 1024, 2520, 10501,
     384},
    {"l4", "NVIDIA L4", 8, 9, 58, 1536, 24, 100, 99, 48 * 1024, 2040, 6251, 192},
    {"t4", "NVIDIA T4", 7, 5, 40, 1024, 16, 64, 64, 4096, 1590, 5001, 256},
};
enum { DEVICES = sizeof devices / sizeof *devices };

static const struct device_facts *find(const char *name)
{
    for (int i = 0; i < DEVICES; i++)
        if (strcasecmp(devices[i].name, name) == 0)
            return &devices[i];
    return NULL;
}

static void refuse(const char *name)
{
    char names[200];
    size_t length = 0;

    for (int i = 0; i < DEVICES; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                   i == 0             ? ""
                                   : i == DEVICES - 1 ? " or "
                                                      : ", ",
                                   devices[i].name);
    end_usage("SIMT_DEVICE=%s: want %s", name, names);
}

const struct device_facts *device_facts(void)
{
    static const struct device_facts *chosen;
    const char *name;

    if (chosen)
        return chosen;
    name = getenv("SIMT_DEVICE");
    chosen = name && *name ? find(name) : devices;
    if (!chosen)
        refuse(name);
    return chosen;
}

/* ---- occupancy, by the rules of NVIDIA's calculator (cuda_occupancy.h, which comes with CUDA):
 * each thing that a block takes is handed out in portions, and the scarcest limits ---- */

enum { WARP = 32 };

static size_t portions(size_t amount, size_t portion)
{
    return (amount + portion - 1) / portion;
}

static size_t by_shared(const struct device_facts *facts, size_t bytes)
{
    size_t portion = facts->major >= 8 ? 128 : 256;
    size_t system = (size_t)(facts->shared_kib - facts->shared_block_kib) * 1024;
    size_t taken = portions(bytes + system, portion) * portion;

    return taken > 0 ? (size_t)facts->shared_kib * 1024 / taken : SIZE_MAX;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

unsigned occupancy_blocks(const struct device_facts *facts, unsigned threads, size_t shared)
{
    size_t warps = portions(threads, WARP);
    size_t blocks = least((size_t)facts->blocks, (size_t)facts->threads / WARP / warps);

    return (unsigned)least(blocks, by_shared(facts, shared));
}

size_t device_blocks_at_once(unsigned threads, size_t shared)
{
    const struct device_facts *facts = device_facts();

    return (size_t)facts->multiprocessors * occupancy_blocks(facts, threads, shared);
}

/* ---- this computer's memory ---- */

size_t available_memory(void)
{
    FILE *file = fopen("/proc/meminfo", "r");
    size_t kib = SIZE_MAX / 1024;
    char line[256];

    while (file && fgets(line, sizeof line, file))
        sscanf(line, "MemAvailable: %zu", &kib);
    if (file)
        fclose(file);
    return 1024 * kib;
}
