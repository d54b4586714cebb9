/* Drives merge.h. Input, any number of cases: room and seed, then for each of the 32 lanes the
 * number of its events and their kinds and keys. Output: a line "KEY LANES" a warp event, then
 * "end".
 *
 * room 0: the logs are handed over whole. Otherwise a lane has room for so many events at a time
 * and is running as long as it has more to say; seed 0 fills its log up each time, another one puts
 * a random number of events into it. */
#include "watch/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 1 << 14 };

/* All that a lane will do; how much of it went into the log and came out of the merge. */
struct lane {
    struct event event[MOST_EVENTS], *log;
    unsigned count, given, merged;
};

static struct lane lanes[MERGE_LANES];

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* Events carry their serial number as address: none may be lost, doubled or moved. */
static void emit(void *context, const struct warp_event *event)
{
    (void)context;
    if (event->lanes == 0)
        fail("a warp event without lanes");
    for (unsigned left = event->lanes; left; left &= left - 1) {
        struct lane *lane = &lanes[__builtin_ctz(left)];
        const struct event *e = &lane->event[lane->merged];
        if (event->address[__builtin_ctz(left)] != lane->merged++)
            fail("a lane's events in another order than its own");
        if (e->key != event->key || e->kind != event->kind || e->size != event->size)
            fail("a lane that was doing something else");
    }
    printf("%" PRIu64 " %u\n", event->key, event->lanes);
}

static void read_lane(struct lane *lane)
{
    lane->given = lane->merged = 0;
    if (scanf("%u", &lane->count) != 1 || lane->count > MOST_EVENTS)
        fail("want the number of a lane's events");
    for (unsigned i = 0; i < lane->count; i++) {
        unsigned kind;
        uint64_t key;
        if (scanf("%u %" SCNu64, &kind, &key) != 2)
            fail("want an event's kind and key");
        lane->event[i] = (struct event){.key = key, .address = i, .kind = kind & 15};
        lane->event[i].size = event_is_access(kind) ? 4 << key % 3 : 0;
    }
}

/* A lane goes on until its log of so many events is full, or by a random number of them. */
static void run_on(struct lane *lane, unsigned room, unsigned seed)
{
    unsigned more = lane->merged + room - lane->given;

    if (seed && more)
        more = 1 + (unsigned)rand() % more;
    lane->given += more;
    if (lane->given > lane->count)
        lane->given = lane->count;
}

/* Merges what is in the logs: exact copies, so that reading beyond one is found. */
static void merge(unsigned running)
{
    const struct event *next[MERGE_LANES], *end[MERGE_LANES];

    for (int i = 0; i < MERGE_LANES; i++) {
        size_t length = lanes[i].given - lanes[i].merged;
        lanes[i].log = malloc((length + 1) * sizeof(struct event));
        if (!lanes[i].log)
            fail("no memory");
        memcpy(lanes[i].log, lanes[i].event + lanes[i].merged, length * sizeof(struct event));
        lanes[i].log[length] = (struct event){.key = MERGE_END};
        next[i] = lanes[i].log;
        end[i] = lanes[i].log + length;
    }
    merge_warp(next, running, emit, NULL);
    for (int i = 0; i < MERGE_LANES; i++) {
        if ((size_t)(end[i] - next[i]) != lanes[i].given - lanes[i].merged)
            fail("a log's next pointer is not behind what was merged");
        free(lanes[i].log);
    }
}

int main(void)
{
    unsigned room, seed, running;

    while (scanf("%u %u", &room, &seed) == 2) {
        srand(seed);
        for (int i = 0; i < MERGE_LANES; i++)
            read_lane(&lanes[i]);
        do {
            running = 0;
            for (int i = 0; i < MERGE_LANES; i++) {
                run_on(&lanes[i], room ? room : MOST_EVENTS, seed);
                running |= (unsigned)(lanes[i].given < lanes[i].count) << i;
            }
            merge(running);
        } while (running);
        puts("end");
    }
    return 0;
}
