/* Does a block use a pointer to another block's shared memory?
 *
 * A thread takes such a pointer when it loads, from global memory, an address in shared memory that
 * another block stored there. A pointer may go through shared memory, and from block to block. A
 * block that gets its own back may use it.
 *
 * The access itself does not tell: a shared variable has the same address in all blocks, as on a
 * GPU. So of the accesses that follow, to the variable that the pointer leads to, it is not known
 * whether they are to the block's own.
 *
 * Source: CUDA C++ Programming Guide, "Variable Memory Space Specifiers": a shared variable "is
 * only accessible from all the threads within the block". */
#include "judge/judge.h"
#include "run/end.h"

#include <string.h>

/* A pointer of this launch that a block took. More than so many are not followed. */
enum { MOST_TAKEN = 64 };
static struct taken {
    uint64_t pointer;
    uint32_t by;    /* the block that took it */
    uint32_t owner; /* the block whose memory it leads to */
    uint32_t pc;    /* where it was taken last */
} taken[MOST_TAKEN];
unsigned pointer_taken;

static struct taken *taken_by(uint32_t block, uint64_t pointer)
{
    for (struct taken *t = taken; t < taken + pointer_taken; t++)
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
static bool takes(uint64_t pointer, const struct block *block, const struct entry *word,
                  uint32_t pc)
{
    uint32_t from = stored_by(word, block->number, block->launch->number);
    const struct taken *before = taken_by(from, pointer);
    uint32_t owner = before ? before->owner : from;
    struct taken *mine = taken_by(block->number, pointer);

    if (from == block->number || owner == block->number)
        return false;
    if (!mine && pointer_taken < MOST_TAKEN)
        mine = &taken[pointer_taken++];
    if (mine)
        *mine = (struct taken){pointer, block->number, owner, pc};
    return mine != NULL;
}

void pointer_load(struct pointers *pointers, const struct lane *lane, struct lane_access access,
                  const struct entry *words)
{
    bool piece = access.kind == EVENT_LOAD && access.extra == PIECE_MORE << EXTRA_LANE_SHIFT;
    unsigned size = access.size == 4 && piece ? 8 : access.size;

    for (unsigned i = 0; i + 8 <= size && access.address % 8 == 0; i += 8) {
        uint64_t pointer = *(const uint64_t *)(access.address + i);
        if (!space_is_shared(pointer))
            continue;
        bool took = words ? takes(pointer, lane->block, words + i / 4, access.pc)
                          : taken_by(lane->block->number, pointer) != NULL;
        pointers->last[lane->index] = took ? pointer : 0;
    }
}

/* The lane accesses the variable that the pointer leads to. */
static void not_judged(const struct taken *pointer, const struct lane *lane,
                       struct lane_access access, const char *variable)
{
    struct source_line load = source_line_at(pointer->pc), use = source_line_at(access.pc);

    end_not_judged("kernel %s accesses %s%s at %s:%d, and it cannot be told whether its own or, by "
                   "the pointer that it loads at %s:%d, that of block %u, which it cannot reach",
                   source_kernel(&lane->block->launch->site), variable,
                   strcmp(variable, "dynamic") == 0 ? " shared memory" : "", use.file, use.line,
                   load.file, load.line, pointer->owner);
}

void pointer_use(struct pointers *pointers, const struct lane *lane, struct lane_access access)
{
    uint64_t last = pointers->last[lane->index];
    const struct taken *pointer = last ? taken_by(lane->block->number, last) : NULL;

    if (!space_is_shared(access.address))
        return;
    if (pointer) {
        struct array variable = space_array(lane->block, last, SPACE_SHARED);
        if (access.address - variable.begin < variable.size)
            not_judged(pointer, lane, access, variable.name);
    }
    if (access.kind != EVENT_STORE)
        pointer_load(pointers, lane, access, NULL);
}
