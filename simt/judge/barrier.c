/* Do all threads of a block come to the same __syncthreads, in the same turn of the loop around it?
 *
 * Rule: all threads that have not ended wait at one barrier, called from one place, in one turn. A
 * thread that has ended is absent from every later barrier, unless it went around this barrier and
 * on to a later turn of the loop. A turn is a jump back over the barrier's place in the program
 * since the thread's last barrier. There g++ also puts what a loop's exit leads to. So other
 * numbers of turns are a suspicion, until a thread goes on from the barrier to such a jump, and not
 * back by another way: only then is that loop around the barrier.
 *
 * Source: CUDA C++ Programming Guide, "Synchronization Functions"; PTX ISA, "barrier".
 *
 * The compiler may copy a barrier. So two barriers are the same one if their lines, the lines of
 * the inlined calls that lead to them, and their numbers on the line (compile/rewrite.c) are. */
#include "judge/judge.h"

#include <string.h>

/* A finding about two lanes. where, elsewhere: the pc of the barrier at which each waits or which
 * it went around, or of the call that led there. */
static struct finding found(const struct lane *one, uint32_t where, const struct lane *other,
                            uint32_t elsewhere)
{
    return (struct finding){.kind = FINDING_DIVERGENT_BARRIER,
                            .launch = *one->block->launch,
                            .actor = {finding_actor(one, where, EVENT_SYNCTHREADS, 0),
                                      finding_actor(other, elsewhere, EVENT_SYNCTHREADS, 0)},
                            .actors = 2};
}

static void tell(struct barrier *barrier, struct finding *finding, const char *what)
{
    finding_say(finding, "%s", what);
    barrier->diverged = true;
}

/* ---- turns ---- */

/* A thread jumps back. Is that its first jump out of a suspect's loop, or to its next turn? */
static void look_at_suspects(struct barrier *barrier, unsigned thread, struct back_jump jump)
{
    for (unsigned i = 0; i < barrier->suspects && !barrier->diverged; i++)
        if (!barrier->left[i][thread] &&
            (jump.to <= barrier->suspect[i].to || jump.from > barrier->suspect[i].from)) {
            barrier->left[i][thread] = true;
            if (jump.from == barrier->suspect[i].from && jump.to == barrier->suspect[i].to)
                tell(barrier, &barrier->suspicion, "");
        }
}

/* The rarer cases of barrier_jump: the i-th jump is new, or there are suspects. */
__attribute__((noinline)) static void jump_rarely(struct barrier *barrier, unsigned i,
                                                  unsigned thread, struct back_jump jump)
{
    look_at_suspects(barrier, thread, jump);
    if (i == MAX_BACK_JUMPS)
        return;
    if (i == barrier->jumps) {
        barrier->jump[barrier->jumps++] = jump;
        memset(barrier->count[i], 0, sizeof barrier->count[i]);
    }
    barrier->count[i][thread]++;
}

void barrier_jump(struct barrier *barrier, unsigned thread, uint64_t from, uint64_t to)
{
    unsigned i = 0;

    while (i < barrier->jumps && (barrier->jump[i].from != from || barrier->jump[i].to != to))
        i++;
    if (i == barrier->jumps || barrier->suspects > 0)
        jump_rarely(barrier, i, thread, (struct back_jump){from, to});
    else
        barrier->count[i][thread]++;
}

static bool lies_around(struct back_jump jump, uint64_t place)
{
    return jump.to <= place && place < jump.from;
}

/* How often each of so many threads has jumped back over the place since its last barrier. If that
 * is not known, 0. Returns whether they differ. */
static bool find_turns(const struct barrier *barrier, uint64_t place, unsigned threads,
                       uint32_t turns[MAX_LANES])
{
    uint32_t differ = 0;

    memset(turns, 0, threads * sizeof *turns);
    for (unsigned i = 0; i < barrier->jumps && barrier->jumps < MAX_BACK_JUMPS; i++)
        if (lies_around(barrier->jump[i], place))
            for (unsigned thread = 0; thread < threads; thread++)
                turns[thread] += barrier->count[i][thread];
    for (unsigned thread = 0; thread < threads; thread++)
        differ |= turns[thread] ^ turns[0];
    return differ != 0;
}

/* The position at which the lane waits, with the calls that led there. */
static uint64_t waiting_place(const struct lane *lane)
{
    return log_last(&lane->log).key & ~KEY_WAITS;
}

/* The call at this depth that led the lane to its barrier, or the barrier itself. */
static uint32_t call_at(const struct lane *lane, unsigned depth)
{
    uint32_t call = key_pc(waiting_place(lane), depth);

    return call ? call : code_offset(lane->pc);
}

/* Two lanes wait at different positions: tells the first calls, or the barriers themselves, that
 * also differ in the source, or in their number on the line (extra). Else g++ has copied it. */
static void compare_places(struct barrier *barrier, const struct lane *one,
                           const struct lane *other)
{
    for (unsigned depth = 0; depth <= 2 && !barrier->diverged; depth++) {
        struct finding finding = found(one, call_at(one, depth), other, call_at(other, depth));
        if (source_differ(finding.actor[0].pc, finding.actor[1].pc, finding.line))
            tell(barrier, &finding, "Both wait, at different barriers.");
        else if (depth == 2 && log_last(&one->log).extra != log_last(&other->log).extra)
            tell(barrier, &finding, "Both wait, at different barriers of this line.");
    }
}

/* Two lanes made other numbers of turns. Of a thread that has ended, its last place counts: the
 * block behind that may have another one's line. */
static void suspect(struct barrier *barrier, const struct lane *one, const struct lane *other)
{
    bool alive = lane_is_alive(other->block, other->index);
    struct event last = log_last(&other->log);

    barrier->suspects = 0;
    for (unsigned i = 0; i < barrier->jumps; i++)
        if (lies_around(barrier->jump[i], waiting_place(one)) &&
            barrier->count[i][one->index] != barrier->count[i][other->index])
            barrier->suspect[barrier->suspects++] = barrier->jump[i];
    memset(barrier->left, 0, sizeof barrier->left);
    barrier->suspicion = found(one, code_offset(one->pc), other,
                               alive ? code_offset(other->pc) : key_pc(last.key, last.depth));
    finding_write(
        &barrier->suspicion, "%s",
        alive ? "Both wait, in different turns of the loop: one went around the barrier before."
              : "The first waits; the second went around the barrier, turn after turn, and ended.");
}

/* Does each thread wait at the position of the first, in its turn? One that has ended may have left
 * the loop in this turn or an earlier one, but not in a later one. */
static void compare_all(struct barrier *barrier, const struct block *block,
                        const struct lane *first)
{
    uint64_t place = waiting_place(first);
    uint64_t other = place; /* the last position that was compared with it */
    unsigned threads = block->launch->threads;
    uint32_t turns[MAX_LANES], wanted;
    bool suspected = false;

    bool differ = find_turns(barrier, place, threads, turns);
    if (!differ && !block->at_places)
        return;
    wanted = turns[first->index];
    for (unsigned i = 0; i < threads && !barrier->diverged; i++) {
        const struct lane *lane = &block->lane[i];
        bool alive = lane_is_alive(block, i);
        if (alive && waiting_place(lane) != place) {
            if (waiting_place(lane) != other)
                compare_places(barrier, first, lane);
            other = waiting_place(lane);
        } else if (alive ? turns[i] != wanted : turns[i] > wanted) {
            if (!suspected)
                suspect(barrier, first, lane);
            suspected = true;
        }
    }
}

void barrier_check(struct barrier *barrier, const struct block *block, const struct lane *first)
{
    if (!barrier->diverged)
        compare_all(barrier, block, first);
    barrier->jumps = 0;
}
