/* Takes warps' requests apart into words, and judges when the launch has ended; see race.h for the
 * rules. */
#include "judge/race.h"
#include "judge/array.h"
#include "judge/pairs.h"
#include "judge/words.h"
#include "run/atomic.h"
#include "run/end.h"
#include "run/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct race {
    uint32_t number, run, launch; /* the block's index and its serial number here; the launch's
                                     number */
    struct shadow shared;
    size_t shared_words;
    struct words words;
};

/* Records of global memory. */
static struct shadow global;
static pthread_once_t global_once = PTHREAD_ONCE_INIT;

static uint32_t run_of_launch(unsigned number)
{
    return (number - 1) % MOST_RUNS + 1;
}

static bool global_mapped; /* atomic */

static void map_global(void)
{
    shadow_map(&global, memory_words());
    __atomic_store_n(&global_mapped, true, __ATOMIC_RELEASE);
}

void race_forget(size_t word, size_t words)
{
    if (__atomic_load_n(&global_mapped, __ATOMIC_ACQUIRE))
        shadow_give_back(&global, word, words);
}

struct race *race_new(size_t shared_words)
{
    struct race *race = calloc(1, sizeof *race);

    pthread_once(&global_once, map_global);
    if (!race)
        array_no_memory();
    race->shared_words = shared_words;
    shadow_map(&race->shared, shared_words);
    if (atomic_program_has_fences())
        race->words.handover = handover_new();
    return race;
}

void race_block_begin(struct race *race, const struct block *block)
{
    race->run = race->run % MOST_RUNS + 1;
    if (race->run == 1)
        shadow_forget(&race->shared, race->shared_words);
    race->launch = run_of_launch(block->launch->number);
    race->number = block_number(block);
    words_block_begin(&race->words, race->number, block->launch->threads);
}

void race_block_end(struct race *race)
{
    if (race->words.handover)
        handover_block_end(race->words.handover);
}

/* ---- synchronisation ---- */

/* The word's name where those of different blocks' shared memories differ. */
static uint64_t name_of(const struct race *race, size_t word, bool shared)
{
    return shared ? (uint64_t)1 << 63 | (uint64_t)race->number << 20 | word : word;
}

void race_fences(struct race *race, unsigned thread, bool device)
{
    if (race->words.handover)
        handover_fence(race->words.handover, thread, device ? SCOPE_DEVICE : SCOPE_BLOCK);
}

void race_meets(struct race *race, unsigned thread, unsigned mask)
{
    if (race->words.handover)
        handover_syncwarp(race->words.handover, thread, mask);
}

void race_operates(struct race *race, unsigned thread, size_t word, bool shared,
                   const struct event *access, unsigned effect)
{
    bool atomic = access->kind == EVENT_ATOMIC;

    if (race->words.handover)
        handover_operation(race->words.handover, thread, name_of(race, word, shared),
                           atomic && access->extra & EXTRA_BLOCK_SCOPE ? SCOPE_BLOCK : SCOPE_DEVICE,
                           (enum effect)effect, !atomic, atomic && access->extra & EXTRA_CAS);
}

/* Lanes that come to one __syncwarp with different masks are as many groups. */
void race_syncwarp(struct race *race, const struct warp_event *event, unsigned warp)
{
    for (unsigned left = event->lanes; left;) {
        unsigned mask = (unsigned)event->address[__builtin_ctz(left)], group = 0;
        for (unsigned i = left; i; i &= i - 1)
            if ((unsigned)event->address[__builtin_ctz(i)] == mask)
                group |= i & -i;
        order_syncwarp(&race->words.order, warp, group, mask);
        left &= ~group;
    }
    race_synchronised(race, event, warp);
}

void race_synchronised(struct race *race, const struct warp_event *event, unsigned warp)
{
    if (race->words.handover)
        handover_merged(race->words.handover, warp, event->lanes);
}

void race_barrier(struct race *race)
{
    words_barrier(&race->words);
}

/* ---- a request ---- */

/* What all words of a request have in common. In place: a copy would wait for each part. */
static void touch_begin(struct touch *touch, const struct race *race,
                        const struct warp_event *event, unsigned warp, bool shared)
{
    touch->shadow = shared ? (struct shadow *)&race->shared : &global;
    touch->shared = shared;
    touch->is_volatile = event->kind != EVENT_ATOMIC && event->extra & EXTRA_VOLATILE;
    touch->operation = (uint8_t)event->kind;
    touch->exchanges = event->kind == EVENT_ATOMIC && event->extra & EXTRA_EXCHANGE;
    touch->warp = warp;
    touch->takes = event->kind == EVENT_ATOMIC && event->extra & (EXTRA_EXCHANGE | EXTRA_CAS);
    touch->more = (struct more){.lanes = 0};
    record_store(
        &touch->now,
        record_of_request(shared ? race->run : race->launch, race->number,
                          order_now(&race->words.order, warp), key_pc(event->key, event->depth),
                          event->size > 8 ? 2 : event->size > 4, touch->is_volatile,
                          event->kind == EVENT_ATOMIC && event->extra & EXTRA_BLOCK_SCOPE));
}

/* How the addresses of a request lie, lane by lane. */
enum pattern {
    DISTINCT, /* each is higher than the one before, and they do not overlap */
    RUNS,     /* none is lower than the one before: equal ones are neighbours */
    HALVES,   /* so it is in the first half warp, whose addresses the second's are, too */
    TWO,      /* each half warp goes to one address; perhaps both to the same */
    ANY
};

/* Of evenly spaced half warps the ends tell it; ANY when they do not. */
static enum pattern pattern_of_halves(const struct warp_event *event)
{
    const uint64_t *address = event->address, half = WARP_SIZE / 2;
    bool rises = address[1] >= address[0] + event->size;
    bool behind = address[half] >= address[half - 1] + event->size;

    if (address[1] == address[0])
        return TWO;
    if (rises && (behind || address[half] == address[0]))
        return behind ? DISTINCT : HALVES;
    return ANY;
}

static enum pattern pattern_of(const struct warp_event *event)
{
    const uint64_t *address = event->address;
    uint64_t before = 0, above = 0;
    bool distinct = true, sorted = true;

    if (event->layout.even)
        return pattern_of_halves(event);
    for (unsigned left = event->lanes; left; left &= left - 1) {
        uint64_t now = address[__builtin_ctz(left)];
        distinct &= now >= above;
        sorted &= now >= before && (now == before || now >= above);
        before = now;
        above = now + event->size;
    }
    return distinct ? DISTINCT : sorted ? RUNS : ANY;
}

/* Of the lanes of a request, those that touch what the first of `left` touches. */
static unsigned at_one_address(const struct warp_event *event, enum pattern pattern, unsigned left)
{
    uint64_t address = event->address[__builtin_ctz(left)];
    unsigned together = left & -left;

    if (pattern == DISTINCT)
        return together;
    if (pattern == HALVES)
        return (together | together << WARP_SIZE / 2) & left;
    if (pattern == TWO && event->address[WARP_SIZE / 2] == address)
        return left;
    if (pattern == TWO)
        return left & ((1u << WARP_SIZE / 2) - 1);
    for (unsigned i = left & (left - 1); i; i &= i - 1) {
        if (event->address[__builtin_ctz(i)] == address)
            together |= i & -i;
        else if (pattern == RUNS)
            break;
    }
    return together;
}

/* Copies what a lane's store stored, in front of zeros; where it is misaligned, not all of it.
 * False: that is not known, as of the pieces of a long structure. */
static bool stored_value(const struct warp_event *event, int lane, unsigned char bytes[16])
{
    const struct event *own = event->value ? NULL : &event->next[lane][event->ahead];
    const void *word = own ? (const void *)&own[1].key : &event->value[lane];
    size_t before = event->address[lane] % 8, left = 8 - before;

    memset(bytes, 0, 16);
    memcpy(bytes, (const char *)word + before, event->size < left ? event->size : left);
    if (event->size > 8)
        memcpy(bytes + left, &own[2].key, 8);
    return !own || (!own[1].extra && (event->size <= 8 || !own[2].extra));
}

/* Several lanes of one request store to one word: the same, as far as that is known? */
static bool stored_the_same(const struct warp_event *event, unsigned lanes)
{
    unsigned char first[16], other[16];
    bool any = false;

    for (unsigned left = lanes; left; left &= left - 1) {
        if (!stored_value(event, __builtin_ctz(left), any ? other : first))
            continue;
        if (any && memcmp(first, other, sizeof first) != 0)
            return false;
        any = true;
    }
    return true;
}

static void tell_common_store(struct touch *touch, record_bits request,
                              const struct warp_event *event, unsigned lanes, size_t word)
{
    unsigned thread = touch->warp * WARP_SIZE, rest = lanes & (lanes - 1);
    uint64_t address = event->address[__builtin_ctz(lanes)];

    touch->word = word;
    record_store(&touch->now,
                 request | record_of(0, event_bytes(address, event->size, 0), false, false));
    pairs_keep(&(struct pair){
        .shared = touch->shared,
        .same_request = true,
        .equal = stored_the_same(event, lanes),
        .lanes = lanes,
        .word = touch_name(touch),
        .end = {touch_actor(&touch->now, thread + (unsigned)__builtin_ctz(lanes), EVENT_STORE),
                touch_actor(&touch->now, thread + (unsigned)__builtin_ctz(rest), EVENT_STORE)}});
}

static bool is_operation(const struct touch *touch)
{
    return touch->is_volatile || touch->operation == EVENT_ATOMIC;
}

/* Where a thread that touches it stands. Behind an operation that wrote, its place in a chain is
 * known. */
static void place_touch(struct handover *handover, struct touch *touch, unsigned thread)
{
    touch->more.standing = handover_now(handover, thread);
    touch->more.behind = is_operation(touch) ? handover_behind(handover, thread) : 0;
    touch->standing = standing_of(touch->more.standing);
}

/* One address, which one or several lanes touch. request: what all their records have in common. */
static void touch_address(struct race *race, struct touch *touch, record_bits request,
                          const struct warp_event *event, unsigned lanes, size_t word)
{
    unsigned first = (unsigned)__builtin_ctz(lanes), thread = touch->warp * WARP_SIZE + first;
    uint64_t address = event->address[first];
    unsigned words = event_words(address, event->size);

    touch->lanes = lanes;
    touch->more.lanes = lanes;
    if (race->words.handover)
        place_touch(race->words.handover, touch, thread);
    bool writes = touch->operation == EVENT_STORE ||
                  (touch->operation == EVENT_ATOMIC &&
                   (!race->words.handover || standing_of(touch->more.behind).number));
    for (unsigned k = 0; k < words; k++) {
        touch->word = word + k;
        unsigned bytes = event_bytes(address, event->size, k);
        record_store(&touch->now, request | record_of(thread, bytes, false, writes));
        words_touch(&race->words, touch);
    }
}

static void touch_lanes(struct race *race, struct touch *touch, const struct warp_event *event,
                        const size_t word[32])
{
    const record_bits request = record_load(&touch->now);
    enum pattern pattern = pattern_of(event);

    for (unsigned left = event->lanes; left;) {
        unsigned first = (unsigned)__builtin_ctz(left);
        unsigned lanes = at_one_address(event, pattern, left);
        if (race->words.handover && (lanes & (lanes - 1)))
            lanes = handover_together(race->words.handover, touch->warp, lanes, false);
        if ((lanes & (lanes - 1)) && touch->operation == EVENT_STORE)
            tell_common_store(touch, request, event, lanes, word[first]);
        left &= ~lanes;
        for (unsigned each; lanes; lanes &= ~each) {
            each = lanes;
            if (race->words.handover && is_operation(touch) && (lanes & (lanes - 1)))
                each = handover_together(race->words.handover, touch->warp, lanes, true);
            touch_address(race, touch, request, event, each, word[first]);
        }
    }
}

void race_access(struct race *race, const struct warp_event *event, unsigned warp,
                 const size_t word[32], bool shared)
{
    struct touch touch;

    touch_begin(&touch, race, event, warp, shared);
    if (event->kind == EVENT_ATOMIC) {
        touch.shadow->atomics = true;
        touch.shadow->scoped |= touch.now.block_scope;
    }
    touch_lanes(race, &touch, event, word);
}

void race_unwritten(struct race *race, size_t word, unsigned bytes, bool shared)
{
    struct touch touch = {.shadow = shared ? &race->shared : &global,
                          .shared = shared,
                          .word = word,
                          .now = {.run = shared ? race->run : race->launch, .block = race->number}};

    words_unwritten(&touch, bytes);
}

void race_excuse(struct race *race, const struct warp_event *event, unsigned warp,
                 const uint32_t read_pc[32], const size_t word[32], bool shared)
{
    struct touch touch = {.shared = shared, .now.block = race->number};

    for (unsigned left = event->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        if (read_pc[lane] == 0)
            continue;
        for (unsigned k = 0; k < event_words(event->address[lane], event->size); k++) {
            touch.word = word[lane] + k;
            pairs_excuse(&(struct excuse){.word = touch_name(&touch),
                                          .block = race->number,
                                          .pc = read_pc[lane],
                                          .thread = warp * WARP_SIZE + lane});
        }
    }
}

bool race_has_conflict(const struct race *race, size_t word)
{
    return race->shared.contended[word] == race->run;
}

bool race_has_global_conflict(size_t word, const struct launch *launch)
{
    return global.contended[word] == run_of_launch(launch->number);
}

bool race_touched(size_t word, unsigned bytes, unsigned launch, bool store, bool *writes)
{
    if (!__atomic_load_n(&global_mapped, __ATOMIC_ACQUIRE))
        return false;
    for (int slot = 0; slot < SLOTS; slot++) {
        const struct record *r = &global.record[slot][word];
        *writes = slot < READER;
        if (r->run == run_of_launch(launch) && r->bytes & bytes &&
            (*writes || (store && !r->is_volatile)))
            return true;
    }
    return false;
}

/* ---- judgement at the launch's end ---- */

void race_judge(const struct launch *launch)
{
    if (!words_judge())
        end_not_judged("kernel %s synchronises or shares words too often for the race checks",
                       launch->site.kernel);
    pairs_judge(launch);
    handover_forget();
    if (run_of_launch(launch->number + 1) == 1)
        shadow_forget(&global, memory_words());
}
