/* Keeps, for each byte of shared memory, whether this block has written it. */
#include "judge/garbage.h"
#include "judge/finding.h"
#include "run/end.h"
#include "watch/types.h"

#include <stdlib.h>
#include <string.h>

/* Reads of garbage that are kept of a block; the bug shows in fewer. */
enum { MOST = 8192 };

struct garbage {
    const struct block *block;
    uint32_t serial;   /* of the block in this place */
    uint32_t *written; /* a word: the block's serial number << 4 | bytes that were written */
    struct read {
        size_t word;
        struct actor reader;
    } read[MOST];
    unsigned reads;                /* of what nobody had written */
    bool piece_written[MAX_LANES]; /* of the structure that the thread is reading piece by piece */
};

struct garbage *garbage_new(size_t shared_words)
{
    struct garbage *garbage = calloc(1, sizeof *garbage);

    if (!garbage || !(garbage->written = calloc(shared_words, sizeof *garbage->written)))
        end_fatal("no memory for the checks; SIMT_CHECKS=off runs without");
    return garbage;
}

void garbage_block_begin(struct garbage *garbage, const struct block *block)
{
    garbage->block = block;
    garbage->serial++;
    memset(garbage->piece_written, 0, block->launch->threads * sizeof *garbage->piece_written);
}

enum written { NOTHING, PARTLY, ALL };

/* Of a word: the block's serial number, and which bytes were written. */
static uint32_t *written_of(struct garbage *garbage, size_t word)
{
    uint32_t *written = &garbage->written[word];

    if (*written >> 4 != (garbage->serial & 0xfffffff))
        *written = garbage->serial << 4;
    return written;
}

/* Notes what a lane writes, and tells how much was written of what it reads. */
static enum written take_access(struct garbage *garbage, const struct warp_event *event, int lane,
                                size_t word)
{
    uintptr_t address = event->address[lane];
    unsigned words = event_words(address, event->size);
    bool any = event->kind == EVENT_STORE, all = true;

    for (unsigned k = 0; k < words; k++) {
        uint32_t *written = written_of(garbage, word + k);
        unsigned bytes = event_bytes(address, event->size, k);
        if (event->kind != EVENT_STORE) {
            any |= (*written & bytes) != 0;
            all &= (*written & bytes) == bytes;
        }
        if (event->kind != EVENT_LOAD)
            *written |= bytes;
    }
    return all ? ALL : any ? PARTLY : NOTHING;
}

/* Is this the end of a read of garbage? A structure has padding, and members that nobody has set
 * yet: copying it is a read of garbage only when nothing of it was written. One whose size and
 * alignment allow it is copied in one access. */
static bool reads_garbage(struct garbage *garbage, const struct warp_event *event, unsigned warp,
                          int lane, enum written written)
{
    bool *piece_written = &garbage->piece_written[warp * WARP_SIZE + (unsigned)lane];

    if (event->kind != EVENT_LOAD || event->own[lane] == PIECE_NONE)
        return written == NOTHING ||
               (written == PARTLY && (event->kind != EVENT_LOAD || !types_may_be_structure()));
    bool any = *piece_written || written != NOTHING;
    *piece_written = any && event->own[lane] != PIECE_LAST;
    return !any && event->own[lane] == PIECE_LAST;
}

/* Whole words, nearly always written before they are read: true when that is so and noted, and
 * nothing is left to look at. Finds no garbage, lets others do so. */
static bool passes(struct garbage *garbage, const struct warp_event *event,
                   const size_t word[WARP_SIZE])
{
    const uint32_t all = garbage->serial << 4 | 0xf;
    const unsigned words = event->size / 4;
    uint32_t differ = 0;

    for (unsigned left = event->lanes; left; left &= left - 1) {
        uint32_t *written = &garbage->written[word[__builtin_ctz(left)]];
        for (unsigned k = 0; k < words; k++) {
            if (event->kind == EVENT_STORE)
                written[k] = all;
            differ |= written[k] ^ all;
        }
    }
    return differ == 0;
}

/* What comes first, and what could have, is the race detector's to say. */
static void hand_on(struct garbage *garbage, struct race *race, const struct warp_event *event,
                    int lane, size_t word)
{
    uintptr_t address = event->address[lane];

    for (unsigned k = 0; k < event_words(address, event->size); k++) {
        uint32_t *written = written_of(garbage, word + k);
        unsigned found = event_bytes(address, event->size, k) & ~*written;
        *written |= found;
        if (found)
            race_unwritten(race, word + k, found, true);
    }
}

void garbage_access(struct garbage *garbage, struct race *race, const struct warp_event *event,
                    unsigned warp, const size_t word[WARP_SIZE])
{
    bool whole_words = (event->layout.bits | event->size) % 4 == 0;
    bool hands_on = race_takes_unwritten(event);

    if (whole_words && !warp_event_has_pieces(event) && !(hands_on && event->kind == EVENT_STORE) &&
        passes(garbage, event, word))
        return;
    for (unsigned left = event->lanes; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (hands_on && event->kind != EVENT_LOAD) {
            hand_on(garbage, race, event, lane, word[lane]);
            continue;
        }
        enum written written = take_access(garbage, event, lane, word[lane]);
        if (!reads_garbage(garbage, event, warp, lane, written) || garbage->reads == MOST)
            continue;
        /* nobody may have seen the store, as in unwritten.c */
        if (event->kind == EVENT_LOAD && types_may_return_structure())
            continue;
        if (hands_on) {
            hand_on(garbage, race, event, lane, word[lane]);
            continue;
        }
        garbage->read[garbage->reads++] = (struct read){
            word[lane], finding_actor(garbage->block, key_pc(event->key, event->depth), warp, lane,
                                      event->kind, event->size)};
    }
}

/* Whether a read was of garbage or raced with the write depends on who came first; where there is a
 * race, that is the bug to tell. So reads of garbage are kept until the block ends. */
void garbage_block_end(struct garbage *garbage, const struct race *race)
{
    for (unsigned i = 0; i < garbage->reads; i++) {
        struct finding finding = {.kind = FINDING_UNINITIALISED,
                                  .launch = garbage->block->launch,
                                  .actor[0] = garbage->read[i].reader,
                                  .actors = 1};
        if (!race_has_conflict(race, garbage->read[i].word))
            finding_add(&finding);
    }
    garbage->reads = 0;
}
