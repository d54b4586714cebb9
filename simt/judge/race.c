/* Finds races while warps' accesses come in; see race.h for the rules. */
#define _GNU_SOURCE
#include "judge/race.h"
#include "judge/finding.h"
#include "run/end.h"
#include "run/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Who touched a word. run: the launch (global memory) or the block's serial number on its OS thread
 * (shared memory); a record of another run is as good as none. bytes: which of the word's four;
 * wide: 0 if the access was within the word, 1 if it had 8 bytes, 2 if 16. */
struct record {
    uint32_t run : 28, bytes : 4;
    uint32_t block;
    uint32_t time;
    uint32_t pc : 20, thread : 10, wide : 2;
};

/* Five records a word: the last plain write, the last atomic, and of the readers the last one, the
 * one before it of the same warp, and the last of another warp. One reader would not do: a thread
 * may write what it read itself, while another one's read is not ordered. */
enum { WRITER, ATOMIC, READER, READER_OF_WARP, READER_ELSEWHERE, RECORDS };

/* Two accesses that only fences and atomics could have ordered. */
struct conflict {
    bool shared;
    struct record a, b;
    uint8_t operation[2];
};

/* Conflicts of the same two places. Beyond KEPT they are only counted. */
enum { KEPT = 4096 };
struct conflict_group {
    uint64_t count;
    size_t kept, room;
    struct conflict *conflict;
};

/* An atomic by a thread: an end of the fourth rule. fence_time is its thread's clock after the last
 * fence, 0 if there was none, fence_barrier the block's last barrier before that fence. */
struct point {
    uint64_t x, order;
    uint32_t block, time, fence_time, fence_barrier;
    uint16_t thread;
};

enum { MAX_POINTS = 1 << 20 };

struct race {
    const struct block *block;
    uint32_t run, number;     /* of the block: its serial number here, its index in the grid */
    uint32_t latest;          /* of all clocks */
    uint32_t barrier_time;    /* the clocks' value after the last __syncthreads */
    uint32_t time[MAX_LANES], /* read through clock_of */
        fence_time[MAX_LANES], fence_barrier[MAX_LANES];
    uint64_t last_atomic[MAX_LANES];
    /* seen[w][j][i]: accesses of lane i of warp w with a smaller stamp are ordered before lane j */
    uint32_t seen[MAX_WARPS][WARP_SIZE][WARP_SIZE];
    bool seen_used[MAX_WARPS];
    struct record (*shared)[RECORDS];
    uint32_t *conflicted; /* a shared word: the last run in which it was in a conflict */
    struct conflict_group *group;
    size_t groups;
    struct point *point;
    size_t points, point_room;
};

/* Records of global memory: a mapping for each kind, committed where it is touched. Input that is
 * only read costs 16 bytes a word. */
static struct record *global[RECORDS];
static pthread_once_t global_once = PTHREAD_ONCE_INIT;

/* OS threads lock 64 Ki words at a time; neighbouring regions have different locks. */
enum { LOCKS = 1024, LOCK_SHIFT = 16 };
static char locks[LOCKS];

static void map_global(void)
{
    for (int i = 0; i < RECORDS; i++) {
        global[i] = mmap(NULL, memory_words() * sizeof(struct record), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (global[i] == MAP_FAILED)
            end_fatal("no address space for race checks; SIMT_CHECKS=off runs without");
        /* A record is read before it is written, which is two page faults, the second of which
         * stops all OS threads: huge pages make them rare. It is only a hint. */
        madvise(global[i], memory_words() * sizeof(struct record), MADV_HUGEPAGE);
    }
}

struct race *race_new(size_t shared_words)
{
    struct race *race = calloc(1, sizeof *race);

    pthread_once(&global_once, map_global);
    if (!race || !(race->shared = calloc(shared_words, sizeof *race->shared)) ||
        !(race->conflicted = calloc(shared_words, sizeof *race->conflicted)))
        end_fatal("no memory for race checks; SIMT_CHECKS=off runs without");
    return race;
}

void race_block_begin(struct race *race, const struct block *block)
{
    race->block = block;
    race->run++;
    race->number = block_number(block);
    race->barrier_time = 0;
    race->latest = 1;
    for (unsigned i = 0; i < block->launch->threads; i++) {
        race->time[i] = 1;
        race->fence_time[i] = 0;
    }
    for (unsigned w = 0; w < block->warps; w++) {
        if (race->seen_used[w])
            memset(race->seen[w], 0, sizeof race->seen[w]);
        race->seen_used[w] = false;
    }
}

/* ---- what orders ---- */

/* __syncthreads sets all clocks by setting one. */
static uint32_t clock_of(const struct race *race, unsigned thread)
{
    return race->time[thread] > race->barrier_time ? race->time[thread] : race->barrier_time;
}

static uint32_t advance_clock(struct race *race, unsigned thread)
{
    uint32_t time = clock_of(race, thread) + 1;
    if (time > race->latest)
        race->latest = time;
    return race->time[thread] = time;
}

void race_syncwarp(struct race *race, const struct warp_event *event, unsigned warp)
{
    unsigned mask = (unsigned)event->address[__builtin_ctz(event->lanes)];
    uint32_t(*seen)[WARP_SIZE] = race->seen[warp];
    uint32_t joined[WARP_SIZE] = {0};

    race->seen_used[warp] = true;
    for (unsigned left = mask; left; left &= left - 1) {
        int j = __builtin_ctz(left);
        for (int i = 0; i < WARP_SIZE; i++)
            joined[i] = seen[j][i] > joined[i] ? seen[j][i] : joined[i];
    }
    for (unsigned left = mask; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        joined[i] = advance_clock(race, warp * WARP_SIZE + (unsigned)i);
    }
    for (unsigned left = mask; left; left &= left - 1)
        memcpy(seen[__builtin_ctz(left)], joined, sizeof joined);
}

void race_fence(struct race *race, const struct warp_event *event, unsigned warp)
{
    for (unsigned left = event->lanes; left; left &= left - 1) {
        unsigned thread = warp * WARP_SIZE + (unsigned)__builtin_ctz(left);
        race->fence_time[thread] = advance_clock(race, thread);
        race->fence_barrier[thread] = race->barrier_time;
    }
}

void race_order(struct race *race, const struct warp_event *event, unsigned warp)
{
    for (unsigned left = event->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        unsigned thread = warp * WARP_SIZE + (unsigned)lane;
        if (race->points == MAX_POINTS)
            return;
        if (race->points == race->point_room) {
            size_t room = race->point_room ? 2 * race->point_room : 64;
            struct point *larger = realloc(race->point, room * sizeof *larger);
            if (!larger)
                end_fatal("no memory for race checks; SIMT_CHECKS=off runs without");
            race->point = larger;
            race->point_room = room;
        }
        race->point[race->points++] = (struct point){.x = race->last_atomic[thread],
                                                     .order = event->address[lane],
                                                     .block = race->number,
                                                     .time = clock_of(race, thread),
                                                     .fence_time = race->fence_time[thread],
                                                     .fence_barrier = race->fence_barrier[thread],
                                                     .thread = (uint16_t)thread};
    }
}

void race_barrier(struct race *race)
{
    race->barrier_time = ++race->latest;
}

/* ---- what conflicts ---- */

static bool same_thread(const struct record *a, const struct record *b)
{
    return a->thread == b->thread && a->block == b->block;
}

/* Is the older record, of the same run, ordered before the access `now` by the first three rules?
 */
static bool ordered(const struct race *race, const struct record *old, const struct record *now)
{
    if (old->block != now->block)
        return false;
    if (old->thread == now->thread || old->time < race->barrier_time)
        return true;
    unsigned warp = now->thread / WARP_SIZE;
    return old->thread / WARP_SIZE == warp &&
           old->time < race->seen[warp][now->thread % WARP_SIZE][old->thread % WARP_SIZE];
}

static struct conflict_group *find_group(struct race *race, const struct conflict *conflict)
{
    for (size_t i = race->groups; i-- > 0;) {
        const struct conflict *first = race->group[i].conflict;
        if (first->a.pc == conflict->a.pc && first->b.pc == conflict->b.pc &&
            first->shared == conflict->shared)
            return &race->group[i];
    }
    struct conflict_group *larger = realloc(race->group, (race->groups + 1) * sizeof *larger);
    if (!larger)
        end_fatal("no memory for race checks; SIMT_CHECKS=off runs without");
    race->group = larger;
    race->group[race->groups] = (struct conflict_group){0};
    return &race->group[race->groups++];
}

static void keep(struct race *race, const struct conflict *conflict)
{
    struct conflict_group *group = find_group(race, conflict);

    group->count++;
    if (group->kept == KEPT)
        return;
    if (group->kept == group->room) {
        group->room = group->room ? 2 * group->room : 16;
        group->conflict = realloc(group->conflict, group->room * sizeof *group->conflict);
        if (!group->conflict)
            end_fatal("no memory for race checks; SIMT_CHECKS=off runs without");
    }
    group->conflict[group->kept++] = *conflict;
}

/* One word of one access: where its records are, and what the access is. */
struct touch {
    struct record *at[RECORDS];
    struct record now;
    bool shared;
    uint8_t operation;
    size_t word;
};

static void compare(struct race *race, const struct touch *touch, int which, uint8_t operation)
{
    const struct record *old = touch->at[which];

    if (old->run != touch->now.run || !(old->bytes & touch->now.bytes) ||
        ordered(race, old, &touch->now))
        return;
    struct conflict conflict = {.shared = touch->shared,
                                .a = *old,
                                .b = touch->now,
                                .operation = {operation, touch->operation}};
    keep(race, &conflict);
    if (touch->shared)
        race->conflicted[touch->word] = race->run;
}

bool race_has_conflict(const struct race *race, size_t word)
{
    return race->conflicted[word] == race->run;
}

/* The last reader moves aside for a new one. */
static void remember_reader(const struct touch *touch)
{
    const struct record *old = touch->at[READER], *now = &touch->now;

    if (old->run == now->run && !same_thread(old, now)) {
        bool same_warp =
            old->block == now->block && old->thread / WARP_SIZE == now->thread / WARP_SIZE;
        *touch->at[same_warp ? READER_OF_WARP : READER_ELSEWHERE] = *old;
    }
    *touch->at[READER] = *now;
}

static void touch_word(struct race *race, const struct touch *touch)
{
    bool atomic = touch->operation == EVENT_ATOMIC;

    compare(race, touch, WRITER, EVENT_STORE);
    if (!atomic)
        compare(race, touch, ATOMIC, EVENT_ATOMIC);
    if (touch->operation == EVENT_LOAD) {
        remember_reader(touch);
        return;
    }
    for (int i = READER; i < RECORDS; i++)
        compare(race, touch, i, EVENT_LOAD);
    *touch->at[atomic ? ATOMIC : WRITER] = touch->now;
}

/* What all lanes of a request have in common. */
static struct touch touch_of(const struct race *race, const struct warp_event *event, bool shared)
{
    struct touch touch = {.shared = shared, .operation = (uint8_t)event->kind};

    touch.now.run = shared ? race->run : race->block->launch->number;
    touch.now.block = race->number;
    touch.now.pc = key_pc(event->key, event->depth);
    touch.now.wide = event->size > 8 ? 2 : event->size > 4;
    return touch;
}

void race_shared(struct race *race, const struct warp_event *event, unsigned warp, unsigned lanes,
                 const size_t word[32])
{
    struct touch touch = touch_of(race, event, true);

    for (; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        uint64_t address = event->address[lane];
        unsigned words = event_words(address, event->size);

        touch.now.thread = warp * WARP_SIZE + (unsigned)lane;
        touch.now.time = clock_of(race, touch.now.thread);
        for (unsigned k = 0; k < words; k++) {
            touch.word = word[lane] + k;
            touch.now.bytes = event_bytes(address, event->size, k);
            for (int i = 0; i < RECORDS; i++)
                touch.at[i] = &race->shared[touch.word][i];
            touch_word(race, &touch);
        }
        if (event->kind == EVENT_ATOMIC)
            race->last_atomic[warp * WARP_SIZE + (unsigned)lane] = address;
    }
}

static void lock_region(size_t region)
{
    while (__atomic_test_and_set(&locks[region % LOCKS], __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&locks[region % LOCKS], __ATOMIC_RELAXED))
            ;
}

static void unlock_region(size_t region)
{
    __atomic_clear(&locks[region % LOCKS], __ATOMIC_RELEASE);
}

void race_global(struct race *race, const struct warp_event *event, unsigned warp, unsigned lanes,
                 const size_t word[32])
{
    struct touch touch = touch_of(race, event, false);
    size_t locked = SIZE_MAX;

    for (; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        uint64_t address = event->address[lane];
        unsigned words = event_words(address, event->size);

        touch.now.thread = warp * WARP_SIZE + (unsigned)lane;
        touch.now.time = clock_of(race, touch.now.thread);
        for (unsigned k = 0; k < words; k++) {
            touch.word = word[lane] + k;
            touch.now.bytes = event_bytes(address, event->size, k);
            for (int i = 0; i < RECORDS; i++)
                touch.at[i] = &global[i][touch.word];
            if (touch.word >> LOCK_SHIFT != locked) {
                if (locked != SIZE_MAX)
                    unlock_region(locked);
                locked = touch.word >> LOCK_SHIFT;
                lock_region(locked);
            }
            touch_word(race, &touch);
        }
        if (event->kind == EVENT_ATOMIC)
            race->last_atomic[warp * WARP_SIZE + (unsigned)lane] = address;
    }
    if (locked != SIZE_MAX)
        unlock_region(locked);
}

/* ---- judgement at the launch's end ---- */

/* All points of the launch, sorted by block, so that those of one are found quickly. */
struct points {
    struct point *point;
    size_t count;
    bool complete;
};

static int by_block(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    return x->block != y->block ? (x->block > y->block) - (x->block < y->block)
                                : (x->order > y->order) - (x->order < y->order);
}

static struct points gather_points(struct race *const all[], int count)
{
    struct points points = {.complete = true};

    for (int i = 0; i < count; i++)
        points.count += all[i]->points;
    if (points.count == 0)
        return points;
    points.point = malloc(points.count * sizeof *points.point);
    if (!points.point)
        end_fatal("no memory for race checks; SIMT_CHECKS=off runs without");
    size_t filled = 0;
    for (int i = 0; i < count; i++) {
        memcpy(points.point + filled, all[i]->point, all[i]->points * sizeof *points.point);
        filled += all[i]->points;
        points.complete &= all[i]->points < MAX_POINTS;
        all[i]->points = 0;
    }
    qsort(points.point, points.count, sizeof *points.point, by_block);
    return points;
}

/* The first point of a block or, if it has none, of a later one. */
static size_t first_point(const struct points *points, uint32_t block)
{
    size_t low = 0, high = points->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (points->point[middle].block < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Had the access passed the fence before this atomic? */
static bool released_by(const struct record *access, const struct point *p)
{
    bool near = access->thread == p->thread || access->thread / WARP_SIZE == p->thread / WARP_SIZE;
    return p->fence_time != 0 &&
           ((near && access->time < p->fence_time) || access->time < p->fence_barrier);
}

/* Came the access after this atomic? */
static bool acquired_by(const struct record *access, const struct point *p)
{
    return access->time > p->time || (access->thread == p->thread && access->time == p->time);
}

/* The fourth rule, from a to b. */
static bool handed_over(const struct points *points, const struct record *a, const struct record *b)
{
    size_t end = points->count;

    for (size_t i = first_point(points, a->block); i < end && points->point[i].block == a->block;
         i++) {
        const struct point *release = &points->point[i];
        if (!released_by(a, release))
            continue;
        for (size_t j = first_point(points, b->block);
             j < end && points->point[j].block == b->block; j++) {
            const struct point *acquire = &points->point[j];
            if (acquire->x == release->x && acquire->order > release->order &&
                acquired_by(b, acquire))
                return true;
        }
    }
    return false;
}

static bool earlier(const struct conflict *a, const struct conflict *b)
{
    if (a->a.block != b->a.block)
        return a->a.block < b->a.block;
    if (a->a.thread != b->a.thread)
        return a->a.thread < b->a.thread;
    return a->b.block != b->b.block ? a->b.block < b->b.block : a->b.thread < b->b.thread;
}

static struct actor actor_of(const struct record *record, uint8_t operation)
{
    int size = record->wide ? 4 << record->wide : __builtin_popcount(record->bytes);

    return (struct actor){.pc = record->pc,
                          .block = record->block,
                          .thread = record->thread,
                          .operation = operation,
                          .size = (uint8_t)size};
}

static void judge_group(const struct conflict_group *group, const struct points *points,
                        const struct launch *launch)
{
    const struct conflict *first = NULL;
    uint64_t races = 0;

    for (size_t i = 0; i < group->kept; i++) {
        const struct conflict *c = &group->conflict[i];
        if (!points->complete || handed_over(points, &c->a, &c->b) ||
            handed_over(points, &c->b, &c->a))
            continue;
        races++;
        if (!first || earlier(c, first))
            first = c;
    }
    if (!first)
        return;
    if (races == group->kept) /* those beyond KEPT, too */
        races = group->count;
    struct finding finding = {.kind = first->shared ? FINDING_SHARED_RACE : FINDING_GLOBAL_RACE,
                              .launch = launch,
                              .actor = {actor_of(&first->a, first->operation[0]),
                                        actor_of(&first->b, first->operation[1])},
                              .actors = 2,
                              .count = races};
    finding_add(&finding);
}

void race_judge(struct race *const all[], int count, const struct launch *launch)
{
    struct points points = gather_points(all, count);

    for (int i = 0; i < count; i++) {
        for (size_t g = 0; g < all[i]->groups; g++) {
            judge_group(&all[i]->group[g], &points, launch);
            free(all[i]->group[g].conflict);
        }
        all[i]->groups = 0;
    }
    free(points.point);
}
