/* Drives the race rules (judge/race.h) without the rest of the backend. What happens is told in the
 * order of these lines. It is merged a warp at a time, sooner or later: at once when SEED is 0,
 * else when that draws it (1: never), at "merge BLOCK", and before its block meets at a barrier. */
static const char input[] =
    "launch BLOCKS THREADS FENCES SEED        nobody has written any memory\n"
    "access BLOCK WARP KIND EXTRA PC LANES    KIND as in event.h; LANES: lane:word:effect, words\n"
    "                                         from 1000 on are shared\n"
    "fence BLOCK WARP SCOPE LANES             LANES: lane\n"
    "syncwarp BLOCK WARP LANES                LANES: lane:mask\n"
    "barrier BLOCK\n"
    "merge BLOCK\n"
    "end                                      judges; prints KIND BLOCK THREAD PC BLOCK THREAD PC\n"
    "                                         for each finding, then end\n";

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
static unsigned seed;

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

/* ---- what has happened, until it is merged ---- */

enum { MOST_WAITING = 256 };

static struct waiting {
    struct warp_event event;
    size_t word[WARP_SIZE];
    bool shared;
} waiting[MOST_BLOCKS][MAX_WARPS][MOST_WAITING];
static unsigned count[MOST_BLOCKS][MAX_WARPS];

static void merge_access(unsigned b, unsigned warp, const struct waiting *w)
{
    struct warp_event event = w->event;
    static struct event log[WARP_SIZE][2];
    const struct event *next[WARP_SIZE];

    event.next = next;
    for (unsigned left = event.lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        bool *own = &written[w->shared ? b : MOST_BLOCKS][w->word[i]];
        bool takes = race_takes_unwritten(&event);
        log[i][0] = (struct event){.kind = event.kind, .size = 4};
        log[i][1].key = (uint64_t)i * 0x100000001; /* they store different values */
        next[i] = log[i];
        if (takes && !*own)
            race_unwritten(races[b], w->word[i], 0xf, w->shared);
        *own |= takes || event.kind != EVENT_LOAD;
    }
    race_access(races[b], &event, warp, w->word, w->shared);
}

static void merge(unsigned b, unsigned warp)
{
    for (unsigned i = 0; i < count[b][warp]; i++) {
        const struct waiting *w = &waiting[b][warp][i];
        if (event_is_access(w->event.kind))
            merge_access(b, warp, w);
        else if (w->event.kind == EVENT_SYNCWARP)
            race_syncwarp(races[b], &w->event, warp);
        else
            race_synchronised(races[b], &w->event, warp);
    }
    count[b][warp] = 0;
}

static void wait_for_merge(unsigned b, unsigned warp, const struct waiting *w)
{
    if (count[b][warp] == MOST_WAITING)
        merge(b, warp);
    waiting[b][warp][count[b][warp]++] = *w;
}

static void merge_some(void)
{
    for (unsigned b = 0; b < launch.grid.x; b++)
        for (unsigned w = 0; w < blocks[b].warps; w++)
            if (seed == 0 || (seed > 1 && rand() % 3 == 0))
                merge(b, w);
}

static void merge_block(unsigned b)
{
    unsigned order = seed ? (unsigned)rand() : 0;

    for (unsigned w = 0; w < blocks[b].warps; w++)
        merge(b, (w + order) % blocks[b].warps);
}

/* Lane by lane as it happens, the whole request when it is merged. */
static void do_access(unsigned b, unsigned warp, struct warp_event *event,
                      uint64_t value[WARP_SIZE][2])
{
    struct waiting w = {.event = *event};
    bool strong = event->kind == EVENT_ATOMIC || event->extra & EXTRA_VOLATILE;

    for (unsigned left = event->lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        struct event one = {.kind = event->kind, .extra = event->extra, .size = 4};
        w.shared = value[i][0] >= SHARED;
        w.word[i] = value[i][0] % SHARED;
        w.event.address[i] = (uintptr_t)&memory[w.word[i] + (w.shared ? WORDS : 0)];
        if (fences && strong)
            race_operates(races[b], warp * WARP_SIZE + (unsigned)i, w.word[i], w.shared, &one,
                          (unsigned)value[i][1]);
    }
    w.event.layout = layout_of(w.event.address, event->lanes);
    wait_for_merge(b, warp, &w);
    w.event.kind = EVENT_ORDER;
    if (fences && strong)
        wait_for_merge(b, warp, &w);
}

int main(void)
{
    char line[4096], what[16];
    unsigned b, warp, x, y, z;
    int at;

    while (fgets(line, sizeof line, stdin)) {
        uint64_t value[WARP_SIZE][2] = {{0}};
        struct waiting w = {.shared = false};
        struct warp_event *event = &w.event;
        if (sscanf(line, "%15s", what) != 1)
            continue;
        if (sscanf(line, "launch %u %u %u %u", &x, &y, &z, &seed) == 4) {
            fences = z;
            srand(seed);
            begin_launch(x, y);
        } else if (sscanf(line, "access %u %u %u %u %u %n", &b, &warp, &x, &y, &z, &at) == 5) {
            event->kind = x;
            event->extra = y;
            event->key = (uint64_t)z << event_shift(0);
            event->size = 4;
            event->lanes = read_lanes(line + at, value);
            do_access(b, warp, event, value);
        } else if (sscanf(line, "fence %u %u %u %n", &b, &warp, &x, &at) == 3) {
            event->kind = EVENT_FENCE;
            event->lanes = read_lanes(line + at, value);
            for (unsigned i = event->lanes; i; i &= i - 1)
                race_fences(races[b], warp * WARP_SIZE + (unsigned)__builtin_ctz(i), x);
            wait_for_merge(b, warp, &w);
        } else if (sscanf(line, "syncwarp %u %u %n", &b, &warp, &at) == 2) {
            event->kind = EVENT_SYNCWARP;
            event->lanes = read_lanes(line + at, value);
            for (unsigned i = event->lanes; i; i &= i - 1) {
                unsigned lane = (unsigned)__builtin_ctz(i);
                event->address[lane] = value[lane][0];
                race_meets(races[b], warp * WARP_SIZE + lane, (unsigned)value[lane][0]);
            }
            wait_for_merge(b, warp, &w);
        } else if (sscanf(line, "merge %u", &b) == 1) {
            merge_block(b);
        } else if (sscanf(line, "barrier %u", &b) == 1) {
            merge_block(b);
            race_barrier(races[b]);
        } else if (strcmp(what, "end") == 0) {
            for (unsigned i = 0; i < launch.grid.x; i++) {
                merge_block(i);
                race_block_end(races[i]);
            }
            race_judge(&launch);
            printf("end\n");
            fflush(stdout);
        } else {
            end_fatal("what is %s? want\n%s", line, input);
        }
        merge_some();
    }
}
