/* Drives the race rules (judge/race.h) without the rest of the backend. What happens is told in the
 * order of these lines. */
static const char input[] =
    "launch BLOCKS THREADS FENCES             nobody has written any memory\n"
    "access BLOCK THREAD KIND EXTRA PC WORD EFFECT\n"
    "                                         KIND as in event.h; words from 1000 on are shared\n"
    "fence BLOCK THREAD SCOPE\n"
    "syncwarp BLOCK WARP LANES                LANES: a mask\n"
    "barrier BLOCK\n"
    "end                                      judges; prints KIND BLOCK THREAD PC BLOCK THREAD PC\n"
    "                                         for each finding, then end\n";

#include "judge/finding.h"
#include "judge/race.h"
#include "run/end.h"
#include "run/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 8, WORDS = 256, SHARED = 1000 };

static uint32_t memory[2 * WORDS];
static struct race races[MOST_BLOCKS];
static struct launch launch;
static struct block blocks[MOST_BLOCKS];
static bool written[MOST_BLOCKS + 1][WORDS]; /* shared memory of each block; global memory */
static bool fences;

/* ---- what race.c asks of the rest ---- */

bool atomic_program_has_fences(void)
{
    return fences;
}

bool atomic_program_has_block_fences(void)
{
    return fences;
}

bool atomic_last_was(const void *word, uint32_t block, int thread)
{
    (void)word, (void)block, (void)thread;
    return false;
}

const void *memory_address(size_t word)
{
    return &memory[word];
}

size_t memory_word(const void *address)
{
    return (size_t)((const uint32_t *)address - memory);
}

size_t memory_words(void)
{
    return WORDS;
}

struct source_line source_line_at(uint32_t pc)
{
    return (struct source_line){"", (int)pc};
}

void finding_add(const struct finding *f)
{
    printf("%s %u %u %u %u %u %u\n", kinds[f->kind].id, f->actor[0].block, f->actor[0].thread,
           f->actor[0].pc, f->actor[1].block, f->actor[1].thread, f->actor[1].pc);
}

void finding_text(char *text, size_t room, const char *format, ...)
{
    (void)text, (void)room, (void)format;
}

void end_with(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    exit(status);
}

void end_not_judged(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    printf("\n");
}

/* ---- the input ---- */

static void begin_launch(unsigned count, unsigned threads)
{
    launch.number++;
    launch.grid = (dim3){count, 1, 1};
    launch.block = (dim3){threads, 1, 1};
    launch.threads = threads;
    memset(written, 0, sizeof written);
    for (unsigned b = 0; b < count; b++) {
        blocks[b].launch = &launch;
        blocks[b].index = (uint3){b, 0, 0};
        blocks[b].number = b;
        blocks[b].warps = (threads + WARP_SIZE - 1) / WARP_SIZE;
        if (!races[b].shared)
            race_begin(&races[b], WORDS);
        race_block_begin(&races[b], &blocks[b]);
    }
}

/* ---- what happens ---- */

/* Each stores another value. */
static void do_access(struct race *race, unsigned b, struct touch *touch, unsigned word,
                      unsigned effect)
{
    bool strong = touch->kind == EVENT_ATOMIC || touch->extra & EXTRA_VOLATILE;

    touch->size = 4;
    touch->shared = word >= SHARED;
    touch->word = word % SHARED;
    touch->address = (uintptr_t)&memory[touch->word + (touch->shared ? WORDS : 0)];
    bool *own = &written[touch->shared ? b : MOST_BLOCKS][touch->word];
    touch->first = !*own;
    *own |= touch->kind == EVENT_STORE || (touch->kind == EVENT_ATOMIC && effect != 0);
    if (touch->kind == EVENT_LOAD && !touch->extra &&
        race_is_covered(race, (touch->shared ? race->shared : race_global) + touch->word,
                        touch->shared ? race->sync.epoch : race->launch->number, touch->thread,
                        touch->pc, 0xf))
        return;
    if (race_access(race, touch, fences && strong ? (int)effect : RACE_PLAIN)) {
        *(uint32_t *)touch->address += 1;
        pairs_settle();
    }
}

int main(void)
{
    char line[200], what[16];
    unsigned b, x, y, z, pc, word, effect;

    while (fgets(line, sizeof line, stdin)) {
        int count =
            sscanf(line, "%15s %u %u %u %u %u %u %u", what, &b, &x, &y, &z, &pc, &word, &effect);
        struct race *race = &races[count > 1 ? b : 0];
        if (strcmp(what, "launch") == 0 && count == 4)
            fences = y, begin_launch(b, x);
        else if (strcmp(what, "access") == 0 && count == 8)
            do_access(race, b, &(struct touch){.thread = x, .kind = y, .extra = z, .pc = pc}, word,
                      effect);
        else if (strcmp(what, "fence") == 0 && count == 4)
            sync_fence(&race->sync, x, y ? SCOPE_DEVICE : SCOPE_BLOCK);
        else if (strcmp(what, "syncwarp") == 0 && count == 4)
            sync_warp(&race->sync, x, y);
        else if (strcmp(what, "barrier") == 0 && count == 2)
            sync_barrier(&race->sync);
        else if (strcmp(what, "end") == 0) {
            for (unsigned i = 0; i < launch.grid.x; i++)
                sync_block_end(&races[i].sync);
            race_judge(&launch);
            printf("end\n");
        } else {
            end_fatal("what is %s? want\n%s", line, input);
        }
    }
}
