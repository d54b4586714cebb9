/* Were the number of blocks and the number of threads of a launch exchanged?
 *
 * Rule (a note): <<<blocks, threads>>> seems to be meant the other way round if
 *   - a block has fewer threads than a warp, and there are as many blocks as a block has threads: a
 *     multiple of 32, at most 1024; and
 *   - some blocks touched no memory, but so few that the exchanged launch would have no such block;
 *     or each block's dynamic shared memory has 1 to 16 bytes for each of the blocks.
 *
 * Source: CUDA C++ Programming Guide, "Execution Configuration". */
#include "judge/judge.h"
#include "judge/finding.h"

static size_t idle_blocks; /* blocks of this launch that touched no memory */

void launch_order_block_end(bool touched)
{
    idle_blocks += !touched;
}

static bool is_line(dim3 size)
{
    return size.y == 1 && size.z == 1;
}

/* Is the dynamic shared memory 1 to 16 bytes for each block, as if blocks were threads, and more
 * than that for each thread? */
static bool fits_exchanged(const struct launch *launch)
{
    size_t each = launch->shared / launch->grid.x;

    return launch->shared % launch->grid.x == 0 && each >= 1 && each <= 16 &&
           (each & (each - 1)) == 0 && launch->shared > 16 * (size_t)launch->block.x;
}

void launch_order_judge(const struct launch *launch)
{
    unsigned blocks = launch->grid.x, threads = launch->block.x;
    struct finding finding = {.kind = FINDING_EXCHANGED, .launch = launch};
    size_t idle = idle_blocks;

    idle_blocks = 0;
    bool likely = is_line(launch->grid) && is_line(launch->block) && threads < WARP_SIZE &&
                  blocks % WARP_SIZE == 0 && blocks <= MAX_LANES;

    if (!likely || idle == blocks ||
        ((idle == 0 || idle * threads >= blocks) && !fits_exchanged(launch)))
        return;
    finding_write(&finding, "%u blocks of %u thread%s", blocks, threads, threads > 1 ? "s" : "");
    finding_say(&finding, idle ? ", of which %zu blocks touched no memory." : ".", idle);
}
