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

/* Reads of garbage that are kept of a launch; the bug shows in fewer. */
enum { MOST_READS = 8192 };

/* Bytes of global memory, numbered as in run/written.h. */
struct bytes {
    size_t begin, end;
};

static struct read {
    struct bytes bytes;
    uintptr_t address;
    struct actor reader;
} read_of_garbage[MOST_READS];
static unsigned reads_of_garbage;

struct unwritten {
    const struct block *block;
    bool piece_written[MAX_LANES]; /* of the structure that the thread is reading piece by piece */
};

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
    memset(unwritten->piece_written, 0, block->launch->threads * sizeof(bool));
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

    if (!reads_garbage(unwritten, event, warp, lane, bytes) || reads_of_garbage == MOST_READS)
        return;
    if (counts_as_written(address)) {
        written_mark(bytes.begin, bytes.end - bytes.begin);
        return;
    }
    if ((event->kind == EVENT_LOAD && types_may_return_structure()))
        return;
    read_of_garbage[reads_of_garbage++] =
        (struct read){bytes, address,
                      finding_actor(unwritten->block, key_pc(event->key, event->depth), warp, lane,
                                    event->kind, event->size)};
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
        written_mark(span.begin, span.end - span.begin);
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
            written_mark(bytes.begin, bytes.end - bytes.begin);
    }
}

/* ---- judgement at the launch's end ---- */

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

/* Where another access to one of its words may as well come first as last, that is what there is to
 * say: a race, or order that fences handed over. */
void unwritten_judge(const struct launch *launch)
{
    for (unsigned i = 0; i < reads_of_garbage; i++) {
        const struct read *read = &read_of_garbage[i];
        bool contended = false;
        for (size_t word = read->bytes.begin / 4; 4 * word < read->bytes.end; word++)
            contended |= race_has_global_conflict(word, launch);
        if (!contended)
            tell(read, launch);
    }
    reads_of_garbage = 0;
}
