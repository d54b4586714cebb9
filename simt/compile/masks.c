/* Follows masks from __activemask() to the operations that they are handed to.
 *
 * Who asks for the lanes that happen to be together and adapts to them (a leader by __ffs, a count
 * by __popc, a vote among them) is right whoever they are. Who hands the mask on unseen, to a
 * shuffle from a lane of his own choice or to __syncwarp, takes it for the lanes that he has in
 * mind. So a variable counts when all that its function does with it is to set it by __activemask()
 * and to hand it to these operations. Anything else, also to hand it to a function, counts as a
 * look. */
#include "compile/calls.h"

static const char operations[] = " __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync "
                                 "__syncwarp ";

/* The last token of __activemask(), if it begins at i; else 0. */
static int call_end(const struct token *t, int i)
{
    int open = next(t, i), close = next(t, open);

    return is_word(t, i, " __activemask ") && is(t, open, "(") && is(t, close, ")") ? close : 0;
}

/* The { of the function that token i is in; an EDGE if it is in none. */
static int body_around(const struct token *t, int i)
{
    int body = 0;

    for (i = previous(t, i); t[i].kind != EDGE; i = previous(t, i)) {
        int before = previous(t, i);
        if (is(t, i, "{") && (is(t, before, ")") || is_word(t, before, " const noexcept ")))
            body = i;
        if (is(t, i, ")]}"))
            i = partner(t, i, -1);
    }
    return body;
}

static bool is_handed_on(const struct token *t, int i)
{
    int open = previous(t, i);

    return is(t, open, "(") && is_word(t, previous(t, open), operations) && is(t, next(t, i), ",)");
}

/* Is the variable at i set here, to __activemask() and nothing else? */
static bool is_set(const struct token *t, int i)
{
    int sign = next(t, i), end = call_end(t, next(t, sign)), after = end ? next(t, end) : 0;

    return end && is(t, sign, "=({") && is(t, after, ";,)}");
}

/* Is the variable at `name` a mask that __activemask() gave, and that nobody has looked at? */
static bool is_unseen(const struct token *t, int name)
{
    int body = body_around(t, name), end = partner(t, body, 1);
    bool set = false;

    for (int i = next(t, body); i < end; i = next(t, i)) {
        if (!same_word(&t[i], &t[name]))
            continue;
        bool declared = is_declared(t, i) && is(t, next(t, i), ";");
        if (qualifier(t, i) || !(is_handed_on(t, i) || is_set(t, i) || declared))
            return false;
        set |= is_set(t, i);
    }
    return set;
}

bool masks_unseen(const struct token *t, int i, int *first, int *last)
{
    int open = next(t, i), end;

    if (!is_word(t, i, operations) || !is(t, open, "("))
        return false;
    *first = next(t, open);
    end = call_end(t, *first);
    *last = end ? end : *first;
    return is(t, next(t, *last), ",)") && (end || is_unseen(t, *first));
}
