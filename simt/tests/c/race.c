/* Drives the race rules (judge/race.h) without the rest of the backend. What happens is told in the
 * order of these lines. */
static const char input[] =
    "launch BLOCKS THREADS FENCES             nobody has written any memory\n"
    "access BLOCK WARP KIND EXTRA PC LANES    KIND as in event.h; LANES: lane:word:effect, words\n"
    "                                         from 1000 on are shared\n"
    "fence BLOCK WARP SCOPE LANES             LANES: lane\n"
    "syncwarp BLOCK WARP LANES                LANES: lane\n"
    "barrier BLOCK\n"
    "end                                      judges; prints KIND BLOCK THREAD PC BLOCK THREAD PC\n"
    "                                         for each finding, then end\n";

#include "judge/finding.h"
#include "judge/pairs.h"
#include "run/atomic.h"
#include "run/end.h"
#include "run/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 8, WORDS = 256, SHARED = 1000 };

static uint32_t memory[2 * WORDS];
static struct race *races[MOST_BLOCKS];
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

void memory_describe_read(const void *address, char *text, size_t room)
{
    (void)address, (void)text, (void)room;
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
        blocks[b].warps = (threads + WARP_SIZE - 1) / WARP_SIZE;
        if (!races[b])
            races[b] = race_new(WORDS);
        race_block_begin(races[b], &blocks[b]);
    }
}

/* The lanes of a line: up to three numbers with colons between. */
static unsigned read_lanes(char *text, uint64_t value[WARP_SIZE][2])
{
    unsigned lanes = 0;

    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
        unsigned lane;
        uint64_t a = 0, b = 0;
        if (sscanf(word, "%u:%" SCNu64 ":%" SCNu64, &lane, &a, &b) < 1 || lane >= WARP_SIZE)
            end_fatal("bad lane %s\n", word);
        lanes |= 1u << lane;
        value[lane][0] = a;
        value[lane][1] = b;
    }
    return lanes;
}

/* ---- what happens ---- */

/* Each lane stores another value. */
static void do_access(unsigned b, struct touch *touch, const uint64_t value[2])
{
    bool strong = touch->kind == EVENT_ATOMIC || touch->extra & EXTRA_VOLATILE;

    touch->shared = value[0] >= SHARED;
    touch->word = value[0] % SHARED;
    touch->address = (uintptr_t)&memory[touch->word + (touch->shared ? WORDS : 0)];
    bool *own = &written[touch->shared ? b : MOST_BLOCKS][touch->word];
    touch->first = !*own;
    *own |= touch->kind == EVENT_STORE || (touch->kind == EVENT_ATOMIC && value[1] != 0);
    if (touch->kind == EVENT_LOAD && !touch->extra &&
        race_reads_again(races[b], touch->shared, touch->word, touch->thread, touch->pc, 0xf)) {
        return;
    } else if (race_access(races[b], touch, fences && strong ? (int)value[1] : PLAIN)) {
        *(uint32_t *)touch->address += 1;
        pairs_settle(b, touch->thread);
    }
}

int main(void)
{
    char line[4096], what[16];
    unsigned b, warp, x, y, z;
    int at;

    while (fgets(line, sizeof line, stdin)) {
        uint64_t value[WARP_SIZE][2] = {{0}};
        if (sscanf(line, "%15s", what) != 1)
            continue;
        if (sscanf(line, "launch %u %u %u", &x, &y, &z) == 3) {
            fences = z;
            begin_launch(x, y);
        } else if (sscanf(line, "access %u %u %u %u %u %n", &b, &warp, &x, &y, &z, &at) == 5) {
            for (unsigned i = read_lanes(line + at, value); i; i &= i - 1) {
                unsigned lane = (unsigned)__builtin_ctz(i);
                do_access(b,
                          &(struct touch){.thread = warp * WARP_SIZE + lane,
                                          .kind = x,
                                          .size = 4,
                                          .extra = y,
                                          .pc = z},
                          value[lane]);
            }
        } else if (sscanf(line, "fence %u %u %u %n", &b, &warp, &x, &at) == 3) {
            for (unsigned i = read_lanes(line + at, value); i; i &= i - 1)
                sync_fence(&races[b]->sync, warp * WARP_SIZE + (unsigned)__builtin_ctz(i), x);
        } else if (sscanf(line, "syncwarp %u %u %n", &b, &warp, &at) == 2) {
            sync_warp(&races[b]->sync, warp, read_lanes(line + at, value));
        } else if (sscanf(line, "barrier %u", &b) == 1) {
            sync_barrier(&races[b]->sync);
        } else if (strcmp(what, "end") == 0) {
            for (unsigned i = 0; i < launch.grid.x; i++)
                pairs_block_end(&races[i]->sync);
            race_judge(&launch);
            printf("end\n");
            fflush(stdout);
        } else {
            end_fatal("what is %s? want\n%s", line, input);
        }
    }
}
