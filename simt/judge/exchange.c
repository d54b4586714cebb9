/* Tells what speaks for an exchanged grid and block. */
#include "judge/exchange.h"
#include "judge/finding.h"

#include <stdio.h>

static bool is_line(dim3 size)
{
    return size.y == 1 && size.z == 1;
}

/* Is the dynamic shared memory an element for each thread, if there were as many as blocks, and
 * more for each of those that there are? */
static bool fits_exchanged(const struct launch *launch)
{
    size_t each = launch->shared / launch->grid.x;

    return launch->shared % launch->grid.x == 0 && each >= 1 && each <= 16 &&
           (each & (each - 1)) == 0 && launch->shared > 16 * (size_t)launch->block.x;
}

void exchange_judge(const struct launch *launch, size_t idle)
{
    unsigned blocks = launch->grid.x, threads = launch->block.x;
    struct finding finding = {.kind = FINDING_EXCHANGED, .launch = launch};
    bool likely = is_line(launch->grid) && is_line(launch->block) && threads < WARP_SIZE &&
                  blocks % WARP_SIZE == 0 && blocks <= MAX_LANES;
    int length;

    if (!likely || idle == blocks ||
        ((idle == 0 || idle * threads >= blocks) && !fits_exchanged(launch)))
        return;
    length = snprintf(finding.detail, sizeof finding.detail, "%u blocks of %u thread%s", blocks,
                      threads, threads > 1 ? "s" : "");
    snprintf(finding.detail + length, sizeof finding.detail - (size_t)length,
             idle ? ", of which %zu blocks touched no memory." : ".", idle);
    finding_add(&finding);
}
