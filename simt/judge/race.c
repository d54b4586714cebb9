/* Takes warps' requests apart into words, and judges when the launch has ended; see race.h for the
 * rules. */
#include "judge/race.h"
#include "judge/array.h"
#include "judge/handover.h"
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
    race->words.fenced = atomic_program_has_fences();
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
    if (race->words.fenced)
        journal_block_end(&race->words.journal);
}

/* ---- synchronisation ---- */

static void syncwarp_group(struct race *race, unsigned warp, unsigned lanes, unsigned mask)
{
    if (order_syncwarp(&race->words.order, warp, lanes, mask) && race->words.fenced)
        journal_syncwarp(&race->words.journal, warp, mask);
}

/* Lanes that come to one __syncwarp with different masks are as many groups. */
void race_syncwarp(struct race *race, const struct warp_event *event, unsigned warp)
{
    for (unsigned left = event->lanes; left;) {
        unsigned mask = (unsigned)event->address[__builtin_ctz(left)], group = 0;
        for (unsigned i = left; i; i &= i - 1)
            if ((unsigned)event->address[__builtin_ctz(i)] == mask)
                group |= i & -i;
        syncwarp_group(race, warp, group, mask);
        left &= ~group;
    }
}

void race_fence(struct race *race, const struct warp_event *event, unsigned warp)
{
    journal_fence(&race->words.journal, event, warp);
}

void race_order(struct race *race, const struct warp_event *event, unsigned warp)
{
    journal_order(&race->words.journal, event, warp);
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
    touch->is_volatile =
        event->kind != EVENT_ATOMIC && event->extra & EXTRA_VOLATILE && race->words.fenced;
    touch->operation = (uint8_t)event->kind;
    touch->exchanges = event->kind == EVENT_ATOMIC && event->extra & EXTRA_EXCHANGE;
    touch->warp = warp;
    touch->epoch = race->words.journal.epoch;
    touch->position = 0;
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

static void tell_common_store(struct race *race, const struct touch *touch,
                              const struct warp_event *event, unsigned lanes)
{
    unsigned thread = touch->warp * WARP_SIZE, rest = lanes & (lanes - 1);

    pairs_keep(
        &race->words.pairs,
        &(struct pair){
            .shared = touch->shared,
            .same_request = true,
            .equal = stored_the_same(event, lanes),
            .lanes = lanes,
            .word = words_name(touch),
            .end = {
                words_actor(&touch->now, thread + (unsigned)__builtin_ctz(lanes), EVENT_STORE),
                words_actor(&touch->now, thread + (unsigned)__builtin_ctz(rest), EVENT_STORE)}});
}

/* One address, which one or several lanes touch. request: what all their records have in common. */
static void touch_address(struct race *race, struct touch *touch, record_bits request,
                          const struct warp_event *event, unsigned lanes, size_t word)
{
    unsigned first = (unsigned)__builtin_ctz(lanes), thread = touch->warp * WARP_SIZE + first;
    uint64_t address = event->address[first];
    unsigned words = event_words(address, event->size);

    touch->lanes = lanes;
    if (race->words.fenced)
        touch->position = journal_position(&race->words.journal, thread);
    for (unsigned k = 0; k < words; k++) {
        touch->word = word + k;
        record_store(&touch->now, request | record_of(thread, event_bytes(address, event->size, k),
                                                      false, false));
        if (k == 0 && (lanes & (lanes - 1)) && touch->operation == EVENT_STORE)
            tell_common_store(race, touch, event, lanes);
        words_touch(&race->words, touch);
    }
}

/* Notes what a thread's last operation was that others can see. */
static void note_operation(struct race *race, const struct touch *touch,
                           const struct warp_event *event, unsigned lanes, size_t word)
{
    unsigned first = (unsigned)__builtin_ctz(lanes);
    uint64_t address = event->address[first];
    struct touch at = *touch;

    at.word = word;
    journal_operation(
        &race->words.journal,
        &(struct sync){.word = words_name(&at),
                       .pc = touch->now.pc,
                       .warp = (uint8_t)touch->warp,
                       .kind = SYNC_OPERATION,
                       .scope = touch->now.block_scope ? SCOPE_BLOCK : SCOPE_DEVICE,
                       .bytes = (uint8_t)event_bytes(address, event->size, 0),
                       .words = (uint8_t)event_words(address, event->size),
                       .wide = touch->now.wide,
                       .is_volatile = touch->is_volatile,
                       .is_cas = event->kind == EVENT_ATOMIC && event->extra & EXTRA_CAS,
                       .is_exchange = event->kind == EVENT_ATOMIC && event->extra & EXTRA_EXCHANGE},
        lanes);
}

static void touch_lanes(struct race *race, struct touch *touch, const struct warp_event *event,
                        const size_t word[32])
{
    const record_bits request = record_load(&touch->now);
    enum pattern pattern = pattern_of(event);

    for (unsigned left = event->lanes; left;) {
        unsigned first = (unsigned)__builtin_ctz(left);
        unsigned lanes = at_one_address(event, pattern, left);
        if (race->words.fenced)
            lanes = journal_together(&race->words.journal, touch->warp, lanes);
        touch_address(race, touch, request, event, lanes, word[first]);
        if (race->words.fenced && (touch->operation == EVENT_ATOMIC || touch->is_volatile))
            note_operation(race, touch, event, lanes, word[first]);
        left &= ~lanes;
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

void race_unwritten(struct race *race, const struct warp_event *event, unsigned warp, int lane,
                    size_t word, unsigned bytes, bool shared)
{
    struct touch touch;
    record_bits own = record_of(warp * WARP_SIZE + (unsigned)lane, bytes, false, false);

    touch_begin(&touch, race, event, warp, shared);
    touch.word = word;
    if (race->words.fenced) {
        journal_access(
            &race->words.journal,
            &(struct past){.word = words_name(&touch), .contended = true, .unwritten = bytes});
        return;
    }
    touch.shadow->first = true;
    record_store(&touch.shadow->record[FIRST][word], record_load(&touch.now) | own);
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
            pairs_excuse(&race->words.pairs, &(struct excuse){.word = words_name(&touch),
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
        if (slot != FIRST && r->run == run_of_launch(launch) && r->bytes & bytes &&
            (*writes || (store && !r->is_volatile)))
            return true;
    }
    return false;
}

/* ---- judgement at the launch's end ---- */

static uint8_t operation_of_past(const struct past *past)
{
    return past->kind == PAST_LOAD    ? EVENT_LOAD
           : past->kind == PAST_STORE ? EVENT_STORE
                                      : EVENT_ATOMIC;
}

static struct actor actor_of_past(const struct past *past, unsigned lane)
{
    struct record record = {
        .block = past->block, .pc = past->pc, .wide = past->wide & 3, .bytes = past->bytes & 0xf};
    return words_actor(&record, past->warp * WARP_SIZE + lane, operation_of_past(past));
}

static void keep_unordered(void *pairs, const struct unordered *u)
{
    pairs_keep(pairs, &(struct pair){.shared = u->a->word >> 63,
                                     .flag = u->flag,
                                     .unwritten = u->unwritten,
                                     .word = u->a->word,
                                     .end = {actor_of_past(u->a, u->lane[0]),
                                             actor_of_past(u->b, u->lane[1])}});
}

static bool any_contended(const struct history *h)
{
    for (size_t i = 0; i < h->pasts; i++)
        if (h->past[i].contended)
            return true;
    return false;
}

/* Where fences are used, it is now that pairs are found. Without any nothing was written down. */
static void judge_history(struct race *const all[], int count, const struct launch *launch)
{
    struct history h = {.threads = (launch->threads + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE};
    bool judged = true;

    for (int i = 0; i < count; i++) {
        judged &= journal_move(&h, &all[i]->words.journal) && !all[i]->words.overflow;
        all[i]->words.overflow = false;
    }
    if (any_contended(&h))
        judged &= handover_judge(&h, keep_unordered, &all[0]->words.pairs);
    if (!judged)
        end_not_judged("kernel %s synchronises or shares words too often for the race checks",
                       launch->site.kernel);
    free(h.sync);
    free(h.past);
}

void race_judge(struct race *const all[], int count, const struct launch *launch)
{
    if (count == 0)
        return;
    judge_history(all, count, launch);
    for (int i = 1; i < count; i++)
        pairs_move(&all[0]->words.pairs, &all[i]->words.pairs);
    pairs_judge(&all[0]->words.pairs, launch);
    if (run_of_launch(launch->number + 1) == 1)
        shadow_forget(&global, memory_words());
}
