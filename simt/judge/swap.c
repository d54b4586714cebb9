/* Asks, of accesses in two sections of one lock, whether anything but the lock ordered them. */
#include "judge/swap.h"
#include "judge/section.h"

#include <stdlib.h>

/* Asks whether anything but the lock had the section of the first access come first. */
static bool ask_about_sections(struct history *h, struct questions *swaps, const struct question *q,
                               uint32_t about, const struct section *first,
                               const struct section *second)
{
    struct past begin[2] = {h->past[q->a], h->past[q->b]};

    begin[0].position = first->taken;
    begin[1].position = second->taken;
    for (int i = 0; i < 2; i++) {
        begin[i].kind = PAST_STORE;
        begin[i].is_volatile = false;
        if (!history_add(h, &begin[i]))
            return false;
    }
    struct question *added =
        question_add(swaps, (uint32_t)h->pasts - 2, (uint32_t)h->pasts - 1, q->lane[0], q->lane[1]);
    if (added)
        added->about = about;
    return true;
}

static bool may_be_swapped(const struct history *h, const struct question *q)
{
    const struct past *a = &h->past[q->a];
    return q->ordered && a->kind != PAST_ATOMIC && !(a->kind == PAST_LOAD && a->is_volatile);
}

static bool ask_about_all_sections(const struct replay *r, struct history *h,
                                   const struct sections *sections,
                                   const struct questions *questions, struct questions *swaps)
{
    bool asked = true;

    for (size_t i = 0; asked && i < questions->count; i++) {
        const struct question *q = &questions->question[i];
        const struct past *a = &h->past[q->a], *b = &h->past[q->b];
        if (!may_be_swapped(h, q))
            continue;
        const struct section *first =
            section_of(sections, replay_thread(r, a, q->lane[0]), a->position);
        if (!first || !section_is_bare(first, a, a->block == b->block ? SCOPE_BLOCK : SCOPE_DEVICE))
            continue;
        const struct section *second =
            section_of(sections, replay_thread(r, b, q->lane[1]), b->position);
        if (second && first->word == second->word)
            asked = ask_about_sections(h, swaps, q, (uint32_t)i, first, second);
    }
    return asked;
}

bool swap_sections(struct replay *r, struct history *h, struct questions *questions)
{
    struct questions swaps = {.all = true};
    struct sections sections;
    bool judged = sections_find(&sections, h, replay_threads(r));

    if (judged && sections.section)
        judged =
            ask_about_all_sections(r, h, &sections, questions, &swaps) && replay_answer(r, &swaps);
    for (size_t i = 0; judged && i < swaps.count; i++)
        if (!swaps.question[i].ordered)
            questions->question[swaps.question[i].about].ordered = false;
    free(sections.section);
    free(sections.begin);
    free(swaps.question);
    return judged && swaps.all;
}
