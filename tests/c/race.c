/* Drives the race rules (judge/race.h) without the rest of the backend. Input, a line each:
 *
 *   launch BLOCKS THREADS FENCES          a launch begins, and nobody has written any memory; each
 * block has a state of its own
 *   access BLOCK WARP KIND EXTRA PC LANES…  KIND as in event.h; LANES: lane:word, words from 1000
 * on are shared order BLOCK WARP LANES…               lane:number:effect of those lanes' last
 * accesses fence BLOCK WARP SCOPE LANES…         lane syncwarp BLOCK WARP LANES… lane:mask barrier
 * BLOCK end                                   judges; prints "KIND BLOCK THREAD PC BLOCK THREAD PC"
 * for each finding, then "end" */
#include "judge/finding.h"
#include "judge/race.h"
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

bool atomic_last_was(const void *word, uint32_t block, int thread)
{
    (void)word, (void)block, (void)thread;
    return false;
}

const void *memory_address(size_t word)
{
    return &memory[word];
}

size_t memory_words(void)
{
    return WORDS;
}

void memory_describe_read(const void *address, char *text, size_t room)
{
    (void)address, (void)text, (void)room;
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

void end_fatal(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    exit(1);
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

static void access_words(unsigned b, unsigned warp, struct warp_event *event,
                         uint64_t value[WARP_SIZE][2])
{
    size_t word[WARP_SIZE] = {0};
    static struct event log[WARP_SIZE][2];
    const struct event *next[WARP_SIZE];
    bool shared = false;

    event->next = next;
    for (unsigned left = event->lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        shared = value[i][0] >= SHARED;
        word[i] = value[i][0] % SHARED;
        event->address[i] = (uintptr_t)&memory[word[i] + (shared ? WORDS : 0)];
        log[i][0] = (struct event){.kind = event->kind, .size = 4};
        log[i][1].key = (uint64_t)i * 0x100000001; /* they store different values */
        next[i] = log[i];
    }
    event->layout = layout_of(event->address, event->lanes);
    for (unsigned left = event->lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        bool *own = &written[shared ? b : MOST_BLOCKS][word[i]], takes = race_takes_unwritten(event);
        if (takes && !*own)
            race_unwritten(races[b], event, warp, i, word[i], 0xf, shared);
        *own |= takes || event->kind != EVENT_LOAD;
    }
    race_access(races[b], event, warp, word, shared);
}

int main(void)
{
    char line[4096], what[16];
    unsigned b, warp, x, y, z;
    int at;

    while (fgets(line, sizeof line, stdin)) {
        uint64_t value[WARP_SIZE][2] = {{0}};
        struct warp_event event = {.depth = 0};
        if (sscanf(line, "%15s", what) != 1)
            continue;
        if (sscanf(line, "launch %u %u %u", &x, &y, &z) == 3) {
            fences = z;
            begin_launch(x, y);
        } else if (sscanf(line, "access %u %u %u %u %u %n", &b, &warp, &x, &y, &z, &at) == 5) {
            event.kind = x;
            event.extra = y;
            event.key = (uint64_t)z << event_shift(0);
            event.size = 4;
            event.lanes = read_lanes(line + at, value);
            access_words(b, warp, &event, value);
        } else if (sscanf(line, "order %u %u %n", &b, &warp, &at) == 2) {
            event.lanes = read_lanes(line + at, value);
            for (int i = 0; i < WARP_SIZE; i++)
                event.address[i] = value[i][0] << 2 | value[i][1];
            race_order(races[b], &event, warp);
        } else if (sscanf(line, "fence %u %u %u %n", &b, &warp, &x, &at) == 3) {
            event.lanes = read_lanes(line + at, value);
            for (int i = 0; i < WARP_SIZE; i++)
                event.address[i] = x;
            race_fence(races[b], &event, warp);
        } else if (sscanf(line, "syncwarp %u %u %n", &b, &warp, &at) == 2) {
            event.lanes = read_lanes(line + at, value);
            for (int i = 0; i < WARP_SIZE; i++)
                event.address[i] = value[i][0];
            race_syncwarp(races[b], &event, warp);
        } else if (sscanf(line, "barrier %u", &b) == 1) {
            race_barrier(races[b]);
        } else if (strcmp(what, "end") == 0) {
            for (unsigned i = 0; i < launch.grid.x; i++)
                race_block_end(races[i]);
            race_judge(races, (int)launch.grid.x, &launch);
            printf("end\n");
            fflush(stdout);
        } else {
            end_fatal("what is %s\n", line);
        }
    }
}
