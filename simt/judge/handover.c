/* Judges what fences and atomics ordered, when a launch has ended. */
#include "judge/handover.h"
#include "judge/flag.h"
#include "judge/question.h"
#include "judge/replay.h"
#include "judge/sort.h"
#include "judge/swap.h"

#include <stdlib.h>

static bool sort_syncs(struct history *h)
{
    struct keyed *keyed = malloc((h->syncs + 1) * sizeof *keyed);

    for (size_t i = 0; keyed && i < h->syncs; i++)
        keyed[i] = (struct keyed){h->sync[i].position, (uint32_t)i};
    bool sorted = keyed && sort_keyed(keyed, h->syncs);
    sorted = sorted && sort_apply((void **)&h->sync, sizeof *h->sync, keyed, h->syncs);
    free(keyed);
    return sorted;
}

/* Looking for fences takes time: of very many pairs, those of the same two places as the one before
 * get its answer. */
enum { MOST_FLAGS = 1 << 12 };

static bool is_flag_as_before(const struct history *h, const struct unordered *u,
                              struct unordered *before, unsigned *asked)
{
    bool same = before->a && before->a->pc == u->a->pc && before->b->pc == u->b->pc;

    if (!same || (*asked)++ < MOST_FLAGS) {
        *before = *u;
        before->flag = flag_is(h, u->a, u->b, u->lane);
    }
    return before->flag;
}

static struct unordered unwritten_pair(const struct history *h, const struct question *q)
{
    const struct past *a = &h->past[q->a], *first = &h->past[q->about];
    bool stores = past_writes(first) && !first->reads;

    return (struct unordered){
        .a = a,
        .b = stores ? first : a,
        .lane = {q->lane[0], stores ? (unsigned)__builtin_ctz(first->lanes) : q->lane[0]},
        .unwritten = true};
}

static void tell_all(const struct history *h, const struct questions *questions,
                     void (*told)(void *, const struct unordered *), void *context)
{
    struct unordered before = {.a = NULL};
    unsigned asked = 0;

    for (size_t i = 0; i < questions->count; i++) {
        const struct question *q = &questions->question[i];
        if (q->ordered || (q->unwritten && !h->past[q->a].reads))
            continue;
        struct unordered pair = {
            .a = &h->past[q->a], .b = &h->past[q->b], .lane = {q->lane[0], q->lane[1]}};
        if (q->unwritten)
            pair = unwritten_pair(h, q);
        else
            pair.flag = is_flag_as_before(h, &pair, &before, &asked);
        told(context, &pair);
    }
}

bool handover_judge(struct history *h, void (*told)(void *context, const struct unordered *pair),
                    void *context)
{
    if (!question_select(h))
        return false;
    if (h->pasts == 0)
        return true;
    if (!sort_syncs(h))
        return false;
    struct questions questions = question_all(h);
    struct replay *replay = replay_new(h);
    bool answered =
        replay && replay_answer(replay, &questions) && swap_sections(replay, h, &questions);
    if (replay)
        tell_all(h, &questions, told, context);
    replay_free(replay);
    bool all = questions.all && answered;
    free(questions.question);
    return all;
}
