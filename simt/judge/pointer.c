/* Does a block use a pointer to another block's shared memory?
 *
 * A thread takes such a pointer when it loads, from global memory, an address in shared memory that
 * another block stored there. It uses the pointer if its next access to shared memory lies in the
 * variable that the pointer leads to. The access itself does not tell: a shared variable has the
 * same address in all blocks, as on a GPU. So a thread that ignores the pointer, and next touches
 * that variable of its own block, is accused, too (README, Limits). A pointer may go through shared
 * memory, and from block to block. A block that gets its own back may use it.
 *
 * Source: CUDA C++ Programming Guide, "Variable Memory Space Specifiers": a shared variable "is
 * only accessible from all the threads within the block". */
#include "judge/judge.h"
#include "judge/finding.h"

#include <string.h>

/* A pointer of this launch that a block took. More than so many are not followed. */
enum { MOST_TAKEN = 64 };
static struct taken {
    uint64_t pointer;
    uint32_t by;    /* the block that took it */
    uint32_t owner; /* the block whose memory it leads to */
} taken[MOST_TAKEN];
unsigned pointer_taken;

static const struct taken *taken_by(uint32_t block, uint64_t pointer)
{
    for (const struct taken *t = taken; t < taken + pointer_taken; t++)
        if (t->by == block && t->pointer == pointer)
            return t;
    return NULL;
}

/* The block that stored what lies in this word of global memory; `own` if that one did, or if none
 * did in this launch. */
static uint32_t stored_by(const struct entry *word, uint32_t own, uint32_t launch)
{
    const struct entry *e = words_first((struct entry *)word, launch);
    uint32_t block = e && words_access_of(e)->writes ? words_access_of(e)->block : own;

    for (; e && words_access_of(e)->writes; e = words_next(e))
        if (words_access_of(e)->block == own)
            block = own;
    return block;
}

/* The block loads the pointer from this word of global memory. Does it take it? */
static bool takes(uint64_t pointer, const struct block *block, const struct entry *word)
{
    uint32_t from = stored_by(word, block->number, block->launch->number);
    const struct taken *before = taken_by(from, pointer);
    uint32_t owner = before ? before->owner : from;

    if (owner == block->number)
        return false;
    if (!taken_by(block->number, pointer) && pointer_taken < MOST_TAKEN)
        taken[pointer_taken++] = (struct taken){pointer, block->number, owner};
    return true;
}

void pointer_load(struct pointers *pointers, const struct lane *lane,
                  const struct lane_access *access, const struct entry *words)
{
    bool piece = access->kind == EVENT_LOAD && access->extra == PIECE_MORE << EXTRA_LANE_SHIFT;
    unsigned size = access->size == 4 && piece ? 8 : access->size;

    for (unsigned i = 0; i + 8 <= size && access->address % 8 == 0; i += 8) {
        uint64_t pointer = *(const uint64_t *)(access->address + i);
        if (space_is_shared(pointer) && (words ? takes(pointer, lane->block, words + i / 4)
                                               : taken_by(lane->block->number, pointer) != NULL))
            pointers->last[lane->index] = pointer;
    }
}

void pointer_use(struct pointers *pointers, const struct lane *lane,
                 const struct lane_access *access)
{
    uint64_t pointer = pointers->last[lane->index];

    if (!space_is_shared(access->address))
        return;
    pointers->last[lane->index] = 0;
    if (pointer) {
        struct range variable = space_range(lane->block, pointer, SPACE_SHARED);
        const struct taken *t = taken_by(lane->block->number, pointer);
        struct finding finding =
            finding_of(FINDING_SHARED_BOUNDS, lane, access->pc, access->kind, access->size);
        if (t && access->address >= variable.begin && access->address < variable.end)
            finding_say(&finding, "It lies in the shared memory of block %u.", t->owner);
    }
    if (access->kind != EVENT_STORE)
        pointer_load(pointers, lane, access, NULL);
}
