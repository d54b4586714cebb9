/* An array of standings. Of most threads nothing is known but their time: the number says it all.
 */
#define _GNU_SOURCE
#include "judge/standing.h"
#include "judge/array.h"

#include <string.h>
#include <sys/mman.h>

enum { ONLY_TIME = 1 << 16, MOST = 12 << 20, MANY = 1 << 15 };

static struct standing *standing;
static uint32_t standings;
static bool full;

struct standing standing_of(uint32_t number)
{
    return number < ONLY_TIME ? (struct standing){.time = number} : standing[number - ONLY_TIME];
}

uint32_t standing_reserve(void)
{
    if (!standing) {
        standing = mmap(NULL, MOST * sizeof *standing, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (standing == MAP_FAILED)
            array_no_memory();
    }
    if (standings == MOST) {
        full = true;
        return 0;
    }
    return ONLY_TIME + standings++;
}

void standing_settle(uint32_t number, const struct standing *s)
{
    if (number >= ONLY_TIME)
        standing[number - ONLY_TIME] = *s;
}

uint32_t standing_keep(const struct standing *s)
{
    const struct standing plain = {.time = s->time};

    if (s->time < ONLY_TIME && memcmp(s, &plain, sizeof plain) == 0)
        return s->time;
    uint32_t number = standing_reserve();
    standing_settle(number, s);
    return number;
}

static bool has(clock_number accesses, clock_number operations, const struct happened *e)
{
    return (e->number && clock_at(operations, e->chain) >= e->number) ||
           clock_at(accesses, key_of(e->block, 0)) > e->time ||
           clock_at(accesses, key_of(e->block, KEY_THREAD + e->thread)) > e->time ||
           clock_at(accesses, key_of(e->block, KEY_WARP + e->thread / 32)) > e->time;
}

bool standing_knows(const struct standing *s, bool in_order, const struct happened *e)
{
    if (has(s->known, s->known_operations, e))
        return true;
    return in_order && (has(s->seen[SCOPE_BLOCK], s->seen_operations[SCOPE_BLOCK], e) ||
                        has(s->seen[SCOPE_DEVICE], s->seen_operations[SCOPE_DEVICE], e));
}

bool standings_alike(uint32_t a, uint32_t b)
{
    struct standing x = standing_of(a), y = standing_of(b);

    x.before = x.chain = x.number = x.fence = 0;
    y.before = y.chain = y.number = y.fence = 0;
    return a == b || memcmp(&x, &y, sizeof x) == 0;
}

bool standings_looked_alike(uint32_t a, uint32_t b)
{
    struct standing x = standing_of(a), y = standing_of(b);
    return !x.number && !y.number && x.before == y.before;
}

bool standings_are_full(void)
{
    return full || clocks_are_full();
}

void standings_forget(void)
{
    if (standings > MANY)
        madvise(standing, standings * sizeof *standing, MADV_DONTNEED);
    standings = 0;
    full = false;
    clocks_forget();
}
