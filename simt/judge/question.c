/* Puts accesses to contended words in order and finds the pairs that conflict. */
#include "judge/question.h"
#include "judge/map.h"
#include "judge/sort.h"

#include <stdlib.h>
#include <string.h>

/* Questions of a launch; accesses before a word's next write that are compared with it. */
enum { MOST_QUESTIONS = 1 << 22, MOST_SINCE = 1 << 12 };

/* ---- the accesses to contended words, in order ---- */

/* By word, and of a word by position. */
static bool sort_pasts(struct history *h)
{
    struct keyed *keyed = malloc((h->pasts + 1) * sizeof *keyed);

    for (size_t i = 0; keyed && i < h->pasts; i++)
        keyed[i] = (struct keyed){h->past[i].position, (uint32_t)i};
    bool sorted = keyed && sort_keyed(keyed, h->pasts);
    for (size_t i = 0; sorted && i < h->pasts; i++)
        keyed[i].key = h->past[keyed[i].index].word;
    sorted = sorted && sort_keyed(keyed, h->pasts);
    sorted = sorted && sort_apply((void **)&h->past, sizeof *h->past, keyed, h->pasts);
    h->room = sorted ? h->pasts : h->room;
    free(keyed);
    return sorted;
}

static bool is_contended(const struct map *words, uint64_t word)
{
    return map_find(words, word, 0) != MAP_NONE;
}

static struct past past_of(const struct sync *sync, unsigned k)
{
    enum past_kind kind = !sync->is_volatile             ? PAST_ATOMIC
                          : sync->effect == EFFECT_STORE ? PAST_STORE
                                                         : PAST_LOAD;

    return (struct past){.word = sync->word + k,
                         .position = sync->position,
                         .block = sync->block,
                         .lanes = sync->lanes,
                         .pc = sync->pc,
                         .epoch = sync->epoch,
                         .warp = sync->warp,
                         .kind = (uint8_t)kind,
                         .bytes = sync->words > 1 ? 0xf : sync->bytes,
                         .wide = sync->wide,
                         .scope = sync->scope,
                         .effect = sync->effect,
                         .is_volatile = sync->is_volatile,
                         .swaps = sync->is_cas || sync->is_exchange,
                         .reads = sync->is_volatile ? kind == PAST_LOAD : !sync->is_exchange};
}

/* Operations on contended words are accesses, too. */
static bool add_operations(struct history *h, const struct map *words)
{
    for (size_t i = 0; i < h->syncs; i++) {
        const struct sync *sync = &h->sync[i];
        for (unsigned k = 0; sync->kind == SYNC_OPERATION && k < sync->words; k++) {
            struct past past = past_of(sync, k);
            if (is_contended(words, past.word) && !history_add(h, &past))
                return false;
        }
    }
    return true;
}

/* Numbers the contended words. */
static bool find_contended(const struct history *h, struct map *words)
{
    bool found = true;

    for (size_t i = 0; found && i < h->pasts; i++)
        if (h->past[i].contended)
            found = map_number(words, h->past[i].word, 0) != MAP_NONE;
    return found;
}

bool question_select(struct history *h)
{
    struct map words = {.slot = NULL};
    size_t kept = 0;
    bool selected = find_contended(h, &words);

    for (size_t i = 0; selected && i < h->pasts; i++)
        if (is_contended(&words, h->past[i].word))
            h->past[kept++] = h->past[i];
    h->pasts = kept;
    selected = selected && add_operations(h, &words) && sort_pasts(h);
    free(words.slot);
    return selected;
}

/* ---- which pairs to ask about ---- */

/* What a word's next access must be compared with: indices of accesses. What is left out is ordered
 * before something that is in, or is in a race with it. */
struct word_state {
    uint32_t write[4];          /* of each byte, + 1; 0: none */
    uint32_t plain[4];          /* the last that was not volatile. Likewise + 1 */
    uint32_t for_device[2];     /* the last atomic of device scope that wrote; the last of another
                                   block than its. An atomic of block scope is atomic with respect
                                   to its own block's alone. Likewise + 1 */
    uint32_t since[MOST_SINCE]; /* reads and atomics since the last write of the whole word */
    unsigned count;
};

struct question *question_add(struct questions *questions, uint32_t a, uint32_t b, unsigned lane_a,
                              unsigned lane_b)
{
    if (questions->count == questions->room) {
        size_t room = questions->room ? 2 * questions->room : 256;
        struct question *larger =
            room > MOST_QUESTIONS ? NULL : realloc(questions->question, room * sizeof *larger);
        if (!larger) {
            questions->all = false;
            return NULL;
        }
        questions->question = larger;
        questions->room = room;
    }
    struct question *added = &questions->question[questions->count++];
    *added = (struct question){.a = a, .b = b, .lane = {(uint8_t)lane_a, (uint8_t)lane_b}};
    return added;
}

static bool conflict(const struct past *a, const struct past *b)
{
    if (!(a->bytes & b->bytes) || (!past_writes(a) && !past_writes(b)))
        return false;
    return a->kind != PAST_ATOMIC || b->kind != PAST_ATOMIC || !past_scopes_meet(a, b);
}

static void compare(struct questions *questions, const struct past *past, uint32_t a, uint32_t b)
{
    const struct past *x = &past[a], *y = &past[b];

    if (!conflict(x, y) || (x->block == y->block && x->epoch < y->epoch))
        return;
    bool same_warp = x->block == y->block && x->warp == y->warp;
    for (uint32_t i = x->lanes; i; i &= i - 1)
        for (uint32_t j = y->lanes; j; j &= j - 1)
            if (!same_warp || __builtin_ctz(i) != __builtin_ctz(j))
                question_add(questions, a, b, (unsigned)__builtin_ctz(i),
                             (unsigned)__builtin_ctz(j));
}

/* The same threads did the like before, or an atomic changes what this one saw: the older access is
 * ordered before whatever the newer one is. */
static bool replaces(const struct past *now, const struct past *old)
{
    if (old->bytes & ~now->bytes || (now->is_volatile && !old->is_volatile))
        return false;
    if (now->kind == PAST_ATOMIC && old->kind == PAST_ATOMIC && past_writes(now) &&
        past_writes(old))
        return past_scopes_meet(now, old) && old->scope >= now->scope;
    return now->kind == old->kind && past_writes(now) == past_writes(old) &&
           (now->kind != PAST_ATOMIC || old->scope >= now->scope) && now->block == old->block &&
           now->warp == old->warp && (old->lanes & ~now->lanes) == 0;
}

static void remember_for_device(struct word_state *state, const struct past *past, uint32_t b)
{
    uint32_t last = state->for_device[0];

    if (past[b].kind != PAST_ATOMIC || !past_writes(&past[b]) || past[b].scope != SCOPE_DEVICE)
        return;
    if (last && past[last - 1].block != past[b].block)
        state->for_device[1] = last;
    state->for_device[0] = b + 1;
}

/* Who sees a volatile store is not behind what its thread did before: that stays in. */
static void remember_store(struct word_state *state, const struct past *now, uint32_t b)
{
    for (int k = 0; k < 4; k++) {
        if (!(now->bytes >> k & 1))
            continue;
        state->write[k] = b + 1;
        if (!now->is_volatile)
            state->plain[k] = b + 1;
    }
    if (now->bytes == 0xf && !now->is_volatile)
        state->count = state->for_device[0] = state->for_device[1] = 0;
}

static void remember(struct word_state *state, const struct past *past, uint32_t b,
                     struct questions *questions)
{
    unsigned kept = 0;

    if (past[b].kind == PAST_STORE) {
        remember_store(state, &past[b], b);
        return;
    }
    remember_for_device(state, past, b);
    for (unsigned i = 0; i < state->count; i++)
        if (!replaces(&past[b], &past[state->since[i]]))
            state->since[kept++] = state->since[i];
    state->count = kept;
    if (kept == MOST_SINCE)
        questions->all = false;
    else
        state->since[state->count++] = b;
}

/* With each of the last writes once. */
static void compare_writes(struct questions *questions, const struct word_state *state,
                           const struct past *past, uint32_t b)
{
    uint32_t write[8];
    unsigned count = 0;

    for (int k = 0; k < 8; k++) {
        uint32_t now = k < 4 ? state->write[k] : state->plain[k - 4];
        bool told = now == 0;
        for (unsigned before = 0; before < count; before++)
            told |= write[before] == now;
        if (told)
            continue;
        write[count++] = now;
        compare(questions, past, now - 1, b);
    }
}

/* Was the whole word written behind it? Then what is volatile or atomic is compared with that. */
static bool is_overwritten(const struct word_state *state, uint32_t a)
{
    for (int k = 0; k < 4; k++)
        if (state->write[k] <= a + 1)
            return false;
    return true;
}

static void ask_about_word(struct questions *questions, struct word_state *state,
                           const struct past *past, uint32_t first, uint32_t end)
{
    memset(state->write, 0, sizeof state->write);
    memset(state->plain, 0, sizeof state->plain);
    memset(state->for_device, 0, sizeof state->for_device);
    state->count = 0;
    for (uint32_t b = first; b < end; b++) {
        compare_writes(questions, state, past, b);
        for (unsigned i = 0; i < state->count; i++)
            if (!past_is_strong(&past[b]) || !is_overwritten(state, state->since[i]))
                compare(questions, past, state->since[i], b);
        if (state->for_device[1] && past[b].kind == PAST_ATOMIC && past[b].scope == SCOPE_BLOCK)
            compare(questions, past, state->for_device[1] - 1, b);
        remember(state, past, b, questions);
    }
}

/* Of a word of which bytes were unwritten: is a write ordered before each of its reads, or a read,
 * which is told then? The writes are asked about, too, so that the replay comes to know of them. */
static void ask_about_first_write(struct questions *questions, const struct past *past,
                                  uint32_t first, uint32_t end)
{
    uint32_t about = end;
    unsigned unwritten = 0;

    for (uint32_t i = first; i < end; i++)
        unwritten |= past[i].unwritten;
    for (uint32_t i = first; i < end; i++) {
        bool asked = past[i].bytes & unwritten && (past[i].reads || past_writes(&past[i]));
        about = asked && about == end ? i : about;
        for (uint32_t lanes = asked ? past[i].lanes : 0; lanes; lanes &= lanes - 1) {
            unsigned lane = (unsigned)__builtin_ctz(lanes);
            struct question *question = question_add(questions, i, i, lane, lane);
            if (!question)
                return;
            question->unwritten = true;
            question->about = about;
        }
    }
}

struct questions question_all(const struct history *h)
{
    struct questions questions = {.all = true};
    struct word_state *state = malloc(sizeof *state);

    questions.all = state != NULL;
    for (size_t first = 0, end; state && first < h->pasts; first = end) {
        for (end = first; end < h->pasts && h->past[end].word == h->past[first].word;)
            end++;
        ask_about_word(&questions, state, h->past, (uint32_t)first, (uint32_t)end);
        ask_about_first_write(&questions, h->past, (uint32_t)first, (uint32_t)end);
    }
    free(state);
    return questions;
}
