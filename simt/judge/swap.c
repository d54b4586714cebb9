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
    size_t count = swaps->count;

    begin[0].position = first->taken;
    begin[1].position = second->taken;
    for (int i = 0; i < 2; i++) {
        begin[i].kind = PAST_STORE;
        begin[i].is_volatile = false;
        if (!history_add(h, &begin[i]))
            return false;
    }
    question_add(swaps, (uint32_t)h->pasts - 2, (uint32_t)h->pasts - 1, q->lane[0], q->lane[1]);
    if (swaps->count > count)
        swaps->question[count].about = about;
    return true;
}

static bool ask_about_all_sections(struct history *h, const struct questions *questions,
                                   struct questions *swaps)
{
    struct sections sections = sections_find(h->sync, h->syncs);
    bool asked = sections.section != NULL;

    for (size_t i = 0; asked && sections.count && i < questions->count; i++) {
        const struct question *q = &questions->question[i];
        const struct past *a = &h->past[q->a], *b = &h->past[q->b];
        const struct section *first = section_of(&sections, a, q->lane[0]);
        const struct section *second = section_of(&sections, b, q->lane[1]);
        bool in_order = a->kind == PAST_ATOMIC || (a->kind == PAST_LOAD && a->is_volatile);
        if (!q->ordered || in_order || !first || !second || first->word != second->word)
            continue;
        if (section_is_bare(first, a, a->block == b->block ? SCOPE_BLOCK : SCOPE_DEVICE))
            asked = ask_about_sections(h, swaps, q, (uint32_t)i, first, second);
    }
    free(sections.section);
    return asked;
}

bool swap_sections(struct replay *r, struct history *h, struct questions *questions)
{
    struct questions swaps = {.all = true};
    bool judged = ask_about_all_sections(h, questions, &swaps) && replay_answer(r, &swaps);

    for (size_t i = 0; judged && i < swaps.count; i++)
        if (!swaps.question[i].ordered)
            questions->question[swaps.question[i].about].ordered = false;
    free(swaps.question);
    return judged && swaps.all;
}
