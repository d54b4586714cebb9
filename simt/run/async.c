/* Counts the host's waits, and notes which streams it uses. */
#include "run/async.h"

static unsigned long waits;   /* atomic, as all here */
static unsigned first_stream; /* its number and 1; 0: none yet */
static bool several;

void async_wait(void)
{
    __atomic_add_fetch(&waits, 1, __ATOMIC_RELEASE);
}

unsigned long async_waits(void)
{
    return __atomic_load_n(&waits, __ATOMIC_ACQUIRE);
}

unsigned async_use(unsigned stream, unsigned launch)
{
    static unsigned last_stream, last; /* one stream alone is followed */
    unsigned none = 0, before = stream == last_stream ? last : 0;

    if (!__atomic_compare_exchange_n(&first_stream, &none, stream + 1, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED) &&
        none != stream + 1)
        __atomic_store_n(&several, true, __ATOMIC_RELAXED);
    last_stream = stream;
    last = launch;
    return before;
}

bool async_used_several(void)
{
    return __atomic_load_n(&several, __ATOMIC_RELAXED);
}
