/* The steps that say in their headers how many loads they have in flight, as they are: each in a
 * namespace of its own, for they all call their kernel reduce_block. */
#ifndef STEPS_H
#define STEPS_H

#include "lab.h"

namespace step01
{
#include "../../steps/01-neighbored-pairs/main.cu"
}
namespace step02
{
#include "../../steps/02-strided-index/main.cu"
}
namespace step03
{
#include "../../steps/03-sequential-addressing/main.cu"
}
namespace step04
{
#include "../../steps/04-add-on-load/main.cu"
}
namespace step05
{
#include "../../steps/05-unroll-last-warp/main.cu"
}
namespace step06
{
#include "../../steps/06-thread-coarsening/main.cu"
}
namespace step07
{
#include "../../steps/07-warp-shuffle/main.cu"
}

#define STEP(number)                                                                               \
    {                                                                                              \
#number, step##number::reduce, (const void *)step##number::reduce_block                    \
    }

static const struct step {
    const char *number;
    reduce_fn *reduce;
    const void *kernel;
} steps[] = {STEP(01), STEP(02), STEP(03), STEP(04), STEP(05), STEP(06), STEP(07)};

#endif
