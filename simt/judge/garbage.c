/* Keeps which bytes have been written: those of shared memory here, those of global memory in
 * run/memory.h. */
#include "judge/checks.h"
#include "judge/finding.h"
#include "run/end.h"
#include "run/memory.h"

#include <stdlib.h>
#include <string.h>

/* What the rewriter and simtcc say of the program (compile/calls.c): it has structures, classes or
 * unions of its own; it has others, as CUDA's vector types; it is compiled with --strict. */
extern const char simt_structures[] __attribute__((weak));
extern const char simt_structures_of_library[] __attribute__((weak));
extern const char simt_strict[] __attribute__((weak));

struct garbage {
    const struct block *block;
    uint32_t serial;   /* of the block in this place */
    uint32_t *written; /* a word: the block's serial number << 4 | bytes that were written */
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

/* Of a word of shared memory: the block's serial number, and which bytes were written. */
static uint32_t *written_of(struct garbage *garbage, size_t word)
{
    uint32_t *written = &garbage->written[word];

    if (*written >> 4 != (garbage->serial & 0xfffffff))
        *written = garbage->serial << 4;
    return written;
}

static void mark(struct garbage *garbage, const struct touch *touch)
{
    if (!touch->shared) {
        written_mark(4 * touch->word + touch->address % 4, touch->size);
        return;
    }
    for (unsigned k = 0; k < event_words(touch->address, touch->size); k++)
        *written_of(garbage, touch->word + k) |= event_bytes(touch->address, touch->size, k);
}

enum written { NOTHING, PARTLY, ALL };

static enum written written_there(struct garbage *garbage, const struct touch *touch)
{
    size_t begin = 4 * touch->word + touch->address % 4;
    bool any = false, all = true;

    if (touch->shared)
        for (unsigned k = 0; k < event_words(touch->address, touch->size); k++) {
            unsigned bytes = event_bytes(touch->address, touch->size, k);
            unsigned written = *written_of(garbage, touch->word + k) & bytes;
            any |= written != 0;
            all &= written == bytes;
        }
    else if (!(all = written_all(begin, touch->size)))
        for (size_t i = begin; i < begin + touch->size; i++)
            any |= written_all(i, 1);
    return all ? ALL : any ? PARTLY : NOTHING;
}

/* Is this the end of a read of garbage? A store of float4 may fill a tail with what nobody needs,
 * and a structure has padding, and members that nobody has set yet: reading these is a read of
 * garbage only when nothing of it was written. A structure is read in one access, or in pieces. A
 * scalar must be whole. */
static bool reads_garbage(struct garbage *garbage, const struct touch *touch, enum written written)
{
    unsigned piece = touch->kind == EVENT_LOAD ? touch->extra >> EXTRA_LANE_SHIFT : PIECE_NONE;
    bool *piece_written = &garbage->piece_written[touch->thread];

    if (piece != PIECE_NONE) {
        bool any = *piece_written || written != NOTHING;
        *piece_written = any && piece != PIECE_LAST;
        return !any && piece == PIECE_LAST;
    }
    if (touch->kind == EVENT_LOAD && (touch->size > 4 || simt_structures))
        return written == NOTHING;
    return written != ALL;
}

/* Not memory that somebody else has filled: the host, or who initialised the program. Nor where
 * nobody has seen the stores: that of a structure which a function returns has no hook if g++ has
 * not inlined it. */
static bool may_be_garbage(const struct touch *touch)
{
    bool unseen = simt_strict && (simt_structures || simt_structures_of_library);

    if (touch->kind == EVENT_LOAD && unseen)
        return false;
    struct memory memory = memory_at((const void *)touch->address);
    return touch->shared || (memory.kind == MEMORY_DEVICE && !memory.symbol);
}

static void tell(const struct block *block, const struct touch *touch)
{
    struct finding finding = {
        .kind = touch->shared ? FINDING_UNINITIALISED : FINDING_UNWRITTEN,
        .launch = block->launch,
        .actor[0] = finding_actor(&block->lane[touch->thread], touch->pc, touch->kind, touch->size),
        .actors = 1};

    if (finding_again(&finding))
        return;
    if (!touch->shared)
        memory_describe_read((const void *)touch->address, finding.detail, sizeof finding.detail);
    finding_add(&finding);
}

bool garbage_access(struct garbage *garbage, const struct touch *touch)
{
    enum written written = written_there(garbage, touch);

    if (written == ALL && touch->extra >> EXTRA_LANE_SHIFT == PIECE_NONE)
        return false;
    bool reads = touch->kind == EVENT_LOAD ||
                 (touch->kind == EVENT_ATOMIC && !(touch->extra & EXTRA_EXCHANGE));

    if (reads && reads_garbage(garbage, touch, written) && may_be_garbage(touch))
        tell(garbage->block, touch);
    if (touch->kind != EVENT_LOAD && written != ALL)
        mark(garbage, touch);
    return written != ALL && may_be_garbage(touch);
}
