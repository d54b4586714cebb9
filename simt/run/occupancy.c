/* The rules of NVIDIA's occupancy calculator (cuda_occupancy.h, which comes with CUDA): each thing
 * that a block takes is handed out in portions, and the scarcest limits. */
#include "run/occupancy.h"

#include <stdint.h>

enum { WARP = 32, REGISTER_PORTION = 256 /* of a warp */, SCHEDULERS = 4 };

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

/* Each of the four schedulers has a quarter of the registers, for whole warps. Before it begins, a
 * block is looked at as if it had as many warps on each. */
static size_t by_registers(unsigned warps, unsigned registers)
{
    size_t of_warp = portions((size_t)registers * WARP, REGISTER_PORTION) * REGISTER_PORTION;
    size_t even = portions(warps, SCHEDULERS) * SCHEDULERS;

    if (of_warp * even > DEVICE_REGISTERS)
        return 0;
    return DEVICE_REGISTERS / SCHEDULERS / of_warp * SCHEDULERS / warps;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

unsigned occupancy_blocks(const struct device_facts *facts, struct block_needs needs)
{
    unsigned warps = (unsigned)portions(needs.threads, WARP);
    size_t blocks = least((size_t)facts->blocks, (size_t)facts->threads / WARP / warps);

    blocks = least(blocks, by_shared(facts, needs.shared));
    if (needs.registers > 0 && facts->title)
        blocks = least(blocks, by_registers(warps, needs.registers));
    return (unsigned)blocks;
}

size_t device_blocks_at_once(struct block_needs needs)
{
    const struct device_facts *facts = device_facts();

    return (size_t)facts->multiprocessors * occupancy_blocks(facts, needs);
}
