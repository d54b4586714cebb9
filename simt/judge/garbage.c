/* Is memory read that nobody has written?
 *
 * Rule: shared memory is garbage when a block begins, and memory from cudaMalloc until a copy, a
 * fill, a kernel or an atomic writes it. A read of garbage is a finding:
 *   - a scalar of up to 4 bytes: if one of its bytes was not written;
 *   - a larger one, and any in a program with structures: if none of them was. A store of float4
 * may fill a tail that nobody needs, and a structure has padding, and members not set yet. Which
 * bytes were written is kept here for shared memory, and in run/memory.h for global memory.
 *
 * Source: CUDA Runtime API, cudaMalloc: "The memory is not cleared"; CUDA C++ Programming Guide,
 * "Shared Memory". */
#include "judge/judge.h"

/* Defined if the program has structures of libraries; if it is compiled with --strict. */
extern const char simt_structures_of_library[] __attribute__((weak));
extern const char simt_strict[] __attribute__((weak));

/* Is the access a read of garbage? all, any: of its bytes were written. A structure may be read in
 * pieces: then the last piece decides. */
static bool reads_garbage(struct garbage *garbage, const struct touch *touch, bool all, bool any)
{
    unsigned piece = touch->kind == EVENT_LOAD ? touch->extra >> EXTRA_LANE_SHIFT : PIECE_NONE;
    bool *piece_written = &garbage->piece_written[touch->thread];

    if (piece != PIECE_NONE) {
        any |= *piece_written;
        *piece_written = any && piece != PIECE_LAST;
        return !any && piece == PIECE_LAST;
    }
    return touch->kind == EVENT_LOAD && (touch->size > 4 || simt_structures) ? !any : !all;
}

/* May there be stores without a hook? g++ puts none where a call returns a structure. */
static bool has_unseen_stores(void)
{
    return simt_strict && (simt_structures || simt_structures_of_library);
}

/* Is it memory that begins as garbage? */
static bool may_be_garbage(const struct touch *touch)
{
    if (touch->kind == EVENT_LOAD && has_unseen_stores())
        return false;
    struct memory memory = memory_at((const void *)touch->address);
    return touch->shared || (memory.kind == MEMORY_DEVICE && !memory.symbol);
}

static void tell_unwritten(const struct lane *lane, const struct touch *touch)
{
    enum finding_kind kind = touch->shared ? FINDING_UNINITIALISED : FINDING_UNWRITTEN;
    struct finding finding = finding_of(kind, lane, touch->pc, touch->kind, touch->size);

    finding_say(&finding, "%s", touch->shared ? "" : memory_describe((const void *)touch->address));
}

bool garbage_access(struct garbage *garbage, const struct lane *lane, const struct touch *touch)
{
    uint64_t *bits = touch->shared ? garbage->shared : memory_bits;
    size_t begin = 4 * touch->word + touch->address % 4;
    bool all = memory_all_written(bits, begin, touch->size), atomic = touch->kind == EVENT_ATOMIC;

    if (all && (atomic || touch->extra >> EXTRA_LANE_SHIFT == PIECE_NONE))
        return false;
    bool used = !(touch->extra & EXTRA_EXCHANGE) || lane->form & SIMT_LOOKED_AT;
    bool reads = touch->kind == EVENT_LOAD || (atomic && used);
    size_t first;

    if (reads &&
        reads_garbage(garbage, touch, all,
                      memory_unwritten(bits, begin, touch->size, 1, &first) < touch->size) &&
        may_be_garbage(touch))
        tell_unwritten(lane, touch);
    if (touch->kind != EVENT_LOAD)
        memory_mark(bits, begin, touch->size);
    return !all && (atomic || touch->extra & EXTRA_VOLATILE) && may_be_garbage(touch);
}

/* So many unwritten bytes in a row may be a structure's padding, or a member that is not set. */
enum { PADDING = 15 };

void garbage_copied(const void *from, size_t size, const void *pc)
{
    struct memory memory = memory_at(from);
    struct finding finding = {
        .kind = FINDING_UNWRITTEN_COPY, .actor[0] = finding_host(pc, EVENT_KINDS, 0), .actors = 1};
    size_t first, count;

    if (memory.kind != MEMORY_DEVICE || memory.symbol || !observer_sees || has_unseen_stores() ||
        !(count = memory_unwritten(memory_bits, (uintptr_t)from - memory_mapping.begin, size,
                                   simt_structures ? PADDING + 1 : 1, &first)))
        return;
    finding_say(&finding,
                "Of %zu bytes %zu %s never written, the first is byte %zu "
                "(element %zu, if they have 4 bytes).",
                size, count, count == 1 ? "was" : "were", first, first / 4);
}
