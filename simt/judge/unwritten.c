/* Marks what kernels write in global memory, and finds reads of what nobody wrote. */
#include "judge/unwritten.h"
#include "judge/finding.h"
#include "run/atomic.h"
#include "run/end.h"
#include "run/memory.h"
#include "run/written.h"
#include "watch/types.h"

#include <stdlib.h>
#include <string.h>

/* Reads of garbage that are kept of a launch, the bug shows in fewer; and stores behind them. */
enum { MOST_READS = 8192, MOST_STORES = 1 << 20 };

/* Bytes of global memory, numbered as in run/written.h. */
struct bytes {
    size_t begin, end;
};

struct read {
    struct bytes bytes;
    uintptr_t address;
    struct actor reader;
    unsigned warp, barriers; /* barriers: that the block had passed */
};

/* The first store to some of its bytes. */
struct store {
    struct bytes bytes;
    uint32_t block;
    unsigned warp, barriers;
};

struct unwritten {
    const struct block *block;
    unsigned barriers;
    struct read read[MOST_READS];
    unsigned reads;
    struct store *store;
    size_t stores, room;
    bool overflow;                 /* there were more stores */
    bool piece_written[MAX_LANES]; /* of the structure that the thread is reading piece by piece */
};

/* Has any place kept a read in this launch? Only then are stores kept. */
static bool any_reads;

struct unwritten *unwritten_new(void)
{
    struct unwritten *unwritten = calloc(1, sizeof *unwritten);

    written_begin(4 * memory_words());
    if (!unwritten)
        end_fatal("no memory for the checks; SIMT_CHECKS=off runs without");
    return unwritten;
}

void unwritten_block_begin(struct unwritten *unwritten, const struct block *block)
{
    unwritten->block = block;
    unwritten->barriers = 0;
    memset(unwritten->piece_written, 0, block->launch->threads * sizeof(bool));
}

void unwritten_barrier(struct unwritten *unwritten)
{
    unwritten->barriers++;
}

static struct bytes bytes_of(const struct warp_event *event, int lane, size_t word)
{
    size_t begin = 4 * word + event->address[lane] % 4;

    return (struct bytes){begin, begin + event->size};
}

/* From the first to the last byte that any of the lanes touches. The bytes of one array follow each
 * other. */
static struct bytes span_of(const struct warp_event *event, const size_t word[WARP_SIZE],
                            bool one_array)
{
    struct bytes span = {SIZE_MAX, 0};

    if (one_array) {
        int first = __builtin_ctz(event->lanes);
        size_t ahead = bytes_of(event, first, word[first]).begin - event->address[first];
        return (struct bytes){event->layout.low + ahead, event->layout.high + ahead + event->size};
    }
    for (unsigned left = event->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        struct bytes own = bytes_of(event, lane, word[lane]);
        span.begin = own.begin < span.begin ? own.begin : span.begin;
        span.end = own.end > span.end ? own.end : span.end;
    }
    return span;
}

static void keep_store(struct unwritten *unwritten, struct bytes bytes, unsigned warp)
{
    struct store *last = unwritten->stores ? &unwritten->store[unwritten->stores - 1] : NULL;
    uint32_t block = block_number(unwritten->block);

    if (last && last->bytes.end == bytes.begin && last->block == block && last->warp == warp &&
        last->barriers == unwritten->barriers) {
        last->bytes.end = bytes.end;
        return;
    }
    if (unwritten->stores == unwritten->room) {
        size_t room = unwritten->room ? 2 * unwritten->room : 64;
        void *larger = room > MOST_STORES ? NULL : realloc(unwritten->store, room * sizeof *last);
        if (!larger) {
            unwritten->overflow = true;
            return;
        }
        unwritten->store = larger;
        unwritten->room = room;
    }
    unwritten->store[unwritten->stores++] = (struct store){bytes, block, warp, unwritten->barriers};
}

/* Either this store sees that there has been a read, or that read, looked at once more, the bits.
 */
static void write_bytes(struct unwritten *unwritten, const struct warp_event *event,
                        struct bytes bytes, unsigned warp)
{
    if (written_mark(bytes.begin, bytes.end - bytes.begin) && event->kind == EVENT_STORE &&
        __atomic_load_n(&any_reads, __ATOMIC_SEQ_CST))
        keep_store(unwritten, bytes, warp);
}

/* Does each lane touch what lies behind the one before it? */
static bool is_run(const struct warp_event *event, struct bytes span)
{
    uint64_t next = event->address[__builtin_ctz(event->lanes)];

    if (span.end - span.begin != (size_t)__builtin_popcount(event->lanes) * event->size)
        return false;
    for (unsigned left = event->lanes; left; left &= left - 1, next += event->size)
        if (event->address[__builtin_ctz(left)] != next)
            return false;
    return true;
}

/* A store of float4 may fill a tail with what nobody needs, and a structure has padding, and
 * members that nobody has set yet: reading these is a read of garbage only when nothing of it was
 * written. A scalar must be whole. */
static bool reads_garbage(struct unwritten *unwritten, const struct warp_event *event,
                          unsigned warp, int lane, struct bytes bytes)
{
    bool *piece_written = &unwritten->piece_written[warp * WARP_SIZE + (unsigned)lane];
    unsigned piece = event->kind == EVENT_LOAD ? event->own[lane] : PIECE_NONE;
    bool any = false, all = true;

    for (size_t i = bytes.begin; i < bytes.end; i++) {
        bool one = written_all(i, 1);
        any |= one;
        all &= one;
    }
    if (piece != PIECE_NONE) {
        any |= *piece_written;
        *piece_written = any && piece != PIECE_LAST;
        return !any && piece == PIECE_LAST;
    }
    if (event->kind == EVENT_LOAD && (event->size > 4 || types_may_be_structure()))
        return !any;
    return !all;
}

/* Memory that somebody else has filled: the host, or who initialised the program. */
static bool counts_as_written(uintptr_t address)
{
    enum memory_kind kind = memory_kind_of((const void *)address);

    return kind != MEMORY_DEVICE;
}

/* Not where nobody has seen the stores: that of a structure which a function returns has no hook.
 */
static void read_lane(struct unwritten *unwritten, const struct warp_event *event, unsigned warp,
                      int lane, struct bytes bytes)
{
    uintptr_t address = event->address[lane];

    if (!reads_garbage(unwritten, event, warp, lane, bytes) || unwritten->reads == MOST_READS)
        return;
    if (counts_as_written(address)) {
        written_mark(bytes.begin, bytes.end - bytes.begin);
        return;
    }
    if ((event->kind == EVENT_LOAD && types_may_return_structure()))
        return;
    __atomic_store_n(&any_reads, true, __ATOMIC_SEQ_CST);
    if (written_all(bytes.begin, bytes.end - bytes.begin))
        return;
    unwritten->read[unwritten->reads++] =
        (struct read){bytes, address,
                      finding_actor(unwritten->block, key_pc(event->key, event->depth), warp, lane,
                                    event->kind, event->size),
                      warp, unwritten->barriers};
}

/* What comes first, and what could have, is the race detector's to say. */
static void hand_on(struct unwritten *unwritten, struct race *race, const struct warp_event *event,
                    unsigned warp, int lane, struct bytes bytes)
{
    uintptr_t address = event->address[lane];

    if (event->kind == EVENT_LOAD
            ? !reads_garbage(unwritten, event, warp, lane, bytes) || types_may_return_structure()
            : written_all(bytes.begin, bytes.end - bytes.begin))
        return;
    bool counts = counts_as_written(address);
    for (size_t i = bytes.begin; i < bytes.end;) {
        size_t word = i / 4;
        unsigned found = 0;
        for (; i < bytes.end && i / 4 == word; i++)
            found |= (unsigned)written_mark(i, 1) << i % 4;
        if (found && !counts)
            race_unwritten(race, word, found, false);
    }
}

/* Spans up to this many bytes are looked at as a whole. */
enum { SPAN = 2048 };

void unwritten_access(struct unwritten *unwritten, struct race *race,
                      const struct warp_event *event, unsigned warp, const size_t word[WARP_SIZE],
                      bool one_array)
{
    struct bytes span = span_of(event, word, one_array);
    bool reads = event->kind != EVENT_STORE, writes = event->kind != EVENT_LOAD;

    if (span.end - span.begin <= SPAN && written_all(span.begin, span.end - span.begin) &&
        !warp_event_has_pieces(event))
        return;
    bool hands_on = race_takes_unwritten(event);
    if (!reads && !hands_on && is_run(event, span)) {
        write_bytes(unwritten, event, span, warp);
        return;
    }
    for (unsigned left = event->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        struct bytes bytes = bytes_of(event, lane, word[lane]);
        if (hands_on)
            hand_on(unwritten, race, event, warp, lane, bytes);
        else if (reads)
            read_lane(unwritten, event, warp, lane, bytes);
        if (writes)
            write_bytes(unwritten, event, bytes, warp);
    }
}

/* ---- judgement at the launch's end ---- */

static int by_begin(const void *x, const void *y)
{
    const struct store *a = x, *b = y;

    return (a->bytes.begin > b->bytes.begin) - (a->bytes.begin < b->bytes.begin);
}

/* May the store have come before the read? Between two barriers of a block a warp may hand order
 * over to another by fences; else what a block does is handed in as it happened. */
static bool may_come_first(const struct store *store, const struct read *read)
{
    return store->block != read->reader.block ||
           (store->warp != read->warp && store->barriers == read->barriers &&
            atomic_program_has_fences());
}

/* stores: sorted. A run of them has at most `longest` bytes. */
static bool is_excused(const struct read *read, const struct store *stores, size_t count,
                       size_t longest)
{
    size_t low = 0, high = count;

    while (low < high) { /* the first one that begins behind the read */
        size_t middle = (low + high) / 2;
        if (stores[middle].bytes.begin < read->bytes.end)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0 && stores[low].bytes.begin + longest > read->bytes.begin)
        if (stores[low].bytes.end > read->bytes.begin && may_come_first(&stores[low], read))
            return true;
    return false;
}

static void tell(const struct read *read, const struct launch *launch)
{
    struct finding finding = {.kind = FINDING_UNWRITTEN,
                              .launch = launch,
                              .actor[0] = read->reader,
                              .actors = 1,
                              .address = read->address};

    memory_describe_read((const void *)read->address, finding.detail, sizeof finding.detail);
    finding_add(&finding);
}

/* All stores of the launch, sorted; they belong to the caller. *longest: the bytes of the longest.
 * NULL when not all are known. */
static struct store *gather(struct unwritten *const all[], int count, size_t *stores,
                            size_t *longest)
{
    size_t room = 1;

    *stores = *longest = 0;
    for (int i = 0; i < count; i++) {
        if (all[i]->overflow)
            return NULL;
        room += all[i]->stores;
    }
    struct store *store = malloc(room * sizeof *store);
    for (int i = 0; store && i < count; i++)
        for (size_t k = 0; k < all[i]->stores; k++) {
            store[*stores] = all[i]->store[k];
            size_t size = store[*stores].bytes.end - store[*stores].bytes.begin;
            *longest = size > *longest ? size : *longest;
            ++*stores;
        }
    if (store)
        qsort(store, *stores, sizeof *store, by_begin);
    return store;
}

static void judge_reads(struct unwritten *const all[], int count, const struct launch *launch)
{
    size_t stores, longest;
    struct store *store = gather(all, count, &stores, &longest);

    if (!store)
        end_not_judged("too many stores came after reads of unwritten memory: these reads are not "
                       "told");
    for (int i = 0; store && i < count; i++)
        for (unsigned k = 0; k < all[i]->reads; k++) {
            const struct read *read = &all[i]->read[k];
            if (!race_has_global_conflict(read->bytes.begin / 4, launch) &&
                !is_excused(read, store, stores, longest))
                tell(read, launch);
        }
    free(store);
}

void unwritten_judge(struct unwritten *const all[], int count, const struct launch *launch)
{
    if (any_reads)
        judge_reads(all, count, launch);
    for (int i = 0; i < count; i++) {
        all[i]->reads = 0;
        all[i]->stores = 0;
        all[i]->overflow = false;
    }
    any_reads = false;
}
