/* Do all threads of a block come to the same __syncthreads, in the same turn of the loop around it?
 *
 * A thread that has ended is absent from every later barrier, however it ended, unless it went
 * around this one and on to a later turn of the loop. Of those that live all must be at one
 * barrier, called from one place, and in one turn: a thread that went around the barrier in one
 * turn of a loop and comes to it in a later one meets threads of another turn. A turn is a jump
 * back over the barrier's place in the program since the thread's last barrier.
 *
 * The compiler may have copied a barrier: so two are one if their lines are, those of the calls
 * that were inlined included, and their numbers on their line (compile/rewrite.c). */
#include "judge/judge.h"
#include "judge/finding.h"

#include <string.h>

/* Who waits, and the place to name: a barrier, or the call that led to it. */
struct end {
    const struct lane *lane;
    uint32_t pc;
    struct source_line line; /* of line 0: that of the pc */
};

static void tell(struct barrier *barrier, struct end one, struct end other, const char *what)
{
    struct finding finding = {.kind = FINDING_DIVERGENT_BARRIER,
                              .launch = one.lane->block->launch,
                              .actor = {finding_actor(one.lane, one.pc, EVENT_SYNCTHREADS, 0),
                                        finding_actor(other.lane, other.pc, EVENT_SYNCTHREADS, 0)},
                              .line = {one.line, other.line},
                              .actors = 2};

    finding_say(&finding, "%s", what);
    barrier->diverged = true;
}

/* ---- turns ---- */

void barrier_jump(struct barrier *barrier, unsigned thread, uint64_t from, uint64_t to)
{
    struct back_jump *jump = &barrier->jump[0][thread];
    uint8_t *jumps = &barrier->jumps[thread];
    unsigned i = 0;

    for (; i < *jumps && (jump->from != from || jump->to != to); i++)
        jump += MAX_LANES;
    if (i == MAX_BACK_JUMPS)
        return;
    if (i == *jumps) {
        *jump = (struct back_jump){from, to, 0};
        ++*jumps;
    }
    jump->count++;
}

/* How often the lane jumped back over the place since its last barrier. */
static unsigned turns_over(const struct barrier *barrier, const struct lane *lane, uint64_t place)
{
    const struct back_jump *jump = &barrier->jump[0][lane->index];
    unsigned turns = 0;

    for (unsigned i = 0; i < barrier->jumps[lane->index]; i++, jump += MAX_LANES)
        if (jump->to <= place && place < jump->from)
            turns += jump->count;
    return turns;
}

static bool all_jumps_known(const struct barrier *barrier, const struct block *block)
{
    return !memchr(barrier->jumps, MAX_BACK_JUMPS, block->launch->threads);
}

/* The position at which the lane waits, the calls that led there included. */
static uint64_t waiting_place(const struct lane *lane)
{
    return log_last(&lane->log).key & ~KEY_WAITS;
}

/* The call of this depth that led to where the lane waits, or the barrier itself. */
static struct end end_at(const struct lane *lane, unsigned depth)
{
    uint32_t call = key_pc(waiting_place(lane), depth);

    return (struct end){.lane = lane, .pc = call ? call : code_offset(lane->pc)};
}

/* Two lanes wait at different places: tells the first of the calls, or the barriers themselves, in
 * which these differ in the source, too. Else the compiler made two out of one. */
static void compare_places(struct barrier *barrier, const struct lane *one,
                           const struct lane *other)
{
    for (unsigned depth = 0; depth <= 2 && !barrier->diverged; depth++) {
        struct source_line lines[2];
        struct end a = end_at(one, depth), b = end_at(other, depth);
        bool differ = source_differ(a.pc, b.pc, lines);
        a.line = lines[0], b.line = lines[1];
        if (differ)
            tell(barrier, a, b, "Both wait, at different barriers.");
        else if (depth == 2 && log_last(&one->log).extra != log_last(&other->log).extra)
            tell(barrier, a, b, "Both wait, at different barriers of this line."); /* its number */
    }
}

static void tell_turns(struct barrier *barrier, const struct lane *one, const struct lane *other)
{
    bool alive = lane_is_alive(other->block, other->index);

    tell(barrier, (struct end){.lane = one, .pc = code_offset(one->pc)},
         (struct end){.lane = other,
                      .pc = alive ? code_offset(other->pc) : log_last_pc(&other->log)},
         alive
             ? "Both wait, in different turns of the loop: one went around the barrier before."
             : "The first waits; the second went around the barrier, turn after turn, and ended.");
}

/* Do all stand at the place of the first, and in its turn? Who has ended may have left the loop in
 * this turn or an earlier one, but did not go around the barrier and on to a later one. */
static void compare_all(struct barrier *barrier, const struct block *block,
                        const struct lane *first)
{
    uint64_t place = waiting_place(first);
    bool known = all_jumps_known(barrier, block);
    unsigned turns = known ? turns_over(barrier, first, place) : 0;
    uint64_t other = place; /* the last that was compared with it */

    for (unsigned i = 0; i < block->launch->threads && !barrier->diverged; i++) {
        const struct lane *lane = &block->lane[i];
        bool alive = lane_is_alive(block, i);
        unsigned its_turns = known ? turns_over(barrier, lane, place) : 0;
        if (alive && waiting_place(lane) != place) {
            if (waiting_place(lane) != other)
                compare_places(barrier, first, lane);
            other = waiting_place(lane);
        } else if (alive ? its_turns != turns : its_turns > turns) {
            tell_turns(barrier, first, lane);
        }
    }
}

void barrier_check(struct barrier *barrier, const struct block *block, const struct lane *first)
{
    if (!barrier->diverged)
        compare_all(barrier, block, first);
    memset(barrier->jumps, 0, block->launch->threads);
}
