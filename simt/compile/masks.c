/* Follows masks from __activemask() to the operations that they are handed to.
 *
 * Who asks for the lanes that happen to be together and adapts to them (a leader by __ffs, a count
 * by __popc, a vote among them) is right whoever they are. Who hands the mask on unseen, to a
 * shuffle from a lane of his own choice or to __syncwarp, takes it for the lanes that he has in
 * mind. So a variable counts when all that its function does with it is to set it by __activemask()
 * and to hand it to these operations, or to a function of the program's that does no more with it;
 * and such a function's parameter, when all its calls hand it such masks. Anything else, a vote
 * included, counts as a look. */
#include "compile/masks.h"

static const char source[] = " __activemask ";
static const char operations[] = " __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync "
                                 "__syncwarp ";

static const char statements[] = " return else do throw ";

/* Functions are followed so deep: who calls itself comes to no end. */
enum { DEEPEST = 3 };

/* The last token of __activemask(), if it begins at i; else 0. */
static int call_end(const struct token *t, int i)
{
    int open = next(t, i), close = next(t, open);

    return is_word(t, i, source) && is(t, open, "(") && is(t, close, ")") ? close : 0;
}

/* ---- functions ---- */

/* The function whose body the { at i is, its name; 0: it is none's. */
static int function_of_body(const struct token *t, int i)
{
    int close = previous(t, i);

    while (is_word(t, close, " const noexcept "))
        close = previous(t, close);
    int name = is(t, close, ")") ? previous(t, partner(t, close, -1)) : 0;
    return t[name].kind == WORD ? name : 0;
}

/* The { of the function that token i is in; an EDGE if it is in none. */
static int body_around(const struct token *t, int i)
{
    int body = 0;

    for (i = previous(t, i); t[i].kind != EDGE; i = previous(t, i)) {
        if (is(t, i, "{") && function_of_body(t, i))
            body = i;
        if (is(t, i, ")]}"))
            i = partner(t, i, -1);
    }
    return body;
}

/* The { of the function that is defined by the name at i; 0: it is a call, or a declaration. */
static int body_behind(const struct token *t, int i)
{
    int open = next(t, i), brace = is(t, open, "(") ? next(t, partner(t, open, 1)) : 0;

    while (is_word(t, brace, " const noexcept "))
        brace = next(t, brace);
    return is(t, brace, "{") ? brace : 0;
}

/* Is a function declared by the name at i, and neither defined nor called? */
static bool is_declaration(const struct token *t, int i)
{
    return t[previous(t, i)].kind == WORD && !is_word(t, previous(t, i), statements) &&
           is(t, next(t, partner(t, next(t, i), 1)), ";");
}

/* The ( of a call of the function whose name is at i. */
static int call_open(const struct token *t, int i)
{
    int open = next(t, i);

    return is(t, open, "<") ? next(t, angle_partner(t, open, 1)) : open;
}

/* The first token of the argument or parameter of that number, from 0, behind the (; an EDGE: there
 * are not so many. */
static int argument_at(const struct token *t, int open, int number)
{
    int i = next(t, open), end = partner(t, open, 1);

    for (; number > 0 && i < end && t[i].kind != EDGE;
         i = next(t, is(t, i, "([{") ? partner(t, i, 1) : i))
        number -= is(t, i, ",");
    return number == 0 && i < end ? i : 0;
}

/* The name of the parameter that begins at i; an EDGE if it has none that is known. */
static int parameter_name(const struct token *t, int i)
{
    while (t[i].kind != EDGE && !is(t, next(t, i), ",)=([{"))
        i = next(t, i);
    return t[i].kind == WORD ? i : 0;
}

/* Of the call in which token i is a whole argument: the function's name, the argument's number; 0:
 * it is none. */
static int call_with(const struct token *t, int i, int *number)
{
    int open = previous(t, i);

    *number = 0;
    if (!is(t, open, "(,") || !is(t, next(t, i), ",)"))
        return 0;
    for (; t[open].kind != EDGE && !is(t, open, "(;{}"); open = previous(t, open)) {
        *number += is(t, open, ",");
        if (is(t, open, ")]"))
            open = partner(t, open, -1);
    }
    int name = previous(t, open);
    if (is(t, name, ">"))
        name = previous(t, angle_partner(t, name, -1));
    return is(t, open, "(") && t[name].kind == WORD ? name : 0;
}

/* ---- variables ---- */

static bool hands_on(const struct token *t, int function, int number, int deep);

/* Is the variable at i handed to one of the operations, or to what hands it on? */
static bool is_handed_on(const struct token *t, int i, int deep)
{
    int number, function = call_with(t, i, &number);

    if (is_word(t, function, operations))
        return number == 0;
    return function && deep < DEEPEST && hands_on(t, function, number, deep + 1);
}

/* Is the variable at i set here, to __activemask() and nothing else? */
static bool is_set(const struct token *t, int i)
{
    int sign = next(t, i), end = call_end(t, next(t, sign)), after = end ? next(t, end) : 0;

    return end &&
           ((is(t, sign, "=") && is(t, after, ";,")) || (is(t, sign, "(") && is(t, after, ")")) ||
            (is(t, sign, "{") && is(t, after, "}")));
}

/* Is it declared here, without a value? */
static bool is_declared(const struct token *t, int i)
{
    int type = previous(t, i);

    return t[type].kind == WORD && !is_word(t, type, statements) && is(t, next(t, i), ";");
}

/* Is all that is done in the body with the variable that is called as `name` to set it by
 * __activemask(), and to hand it on? *set: the former is. */
static bool is_only_handed_on(const struct token *t, int body, int name, int deep, bool *set)
{
    int end = partner(t, body, 1);
    bool handed_on = false;

    *set = false;
    for (int i = next(t, body); i < end && t[i].kind != EDGE; i = next(t, i)) {
        if (!same_word(t, i, name))
            continue;
        bool member = is(t, previous(t, i), ".:>"), hands = is_handed_on(t, i, deep);
        if (member || !(hands || is_set(t, i) || is_declared(t, i)))
            return false;
        handed_on |= hands;
        *set |= is_set(t, i);
    }
    return handed_on;
}

/* Do all functions of this name that are defined do no more with their parameter of this number? */
static bool hands_on(const struct token *t, int function, int number, int deep)
{
    bool any = false, set;

    for (int i = 1; t[i].kind != EDGE; i++) {
        int body = same_word(t, i, function) ? body_behind(t, i) : 0;
        if (!body)
            continue;
        int name = parameter_name(t, argument_at(t, next(t, i), number));
        if (!name || !is_only_handed_on(t, body, name, deep, &set) || set)
            return false;
        any = true;
    }
    return any;
}

static bool is_unseen(const struct token *t, int name, int deep);

/* Do all calls of the function hand it unseen masks as this argument? */
static bool gets_unseen(const struct token *t, int function, int number, int deep)
{
    bool any = false;

    for (int i = 1; t[i].kind != EDGE; i++) {
        if (!same_word(t, i, function) || body_behind(t, i) || is_declaration(t, i))
            continue;
        int open = call_open(t, i), first = is(t, open, "(") ? argument_at(t, open, number) : 0;
        int end = call_end(t, first), after = next(t, end ? end : first);
        bool whole = first && is(t, after, ",)");
        if (!whole || (!end && !is_unseen(t, first, deep)))
            return false;
        any = true;
    }
    return any;
}

/* Is the variable at `name` a mask that __activemask() gave, and that nobody has looked at? */
static bool is_unseen(const struct token *t, int name, int deep)
{
    int body = body_around(t, name), function = function_of_body(t, body), open = next(t, function);
    bool set;

    if (t[body].kind == EDGE || t[name].kind != WORD || deep > DEEPEST ||
        !is_only_handed_on(t, body, name, 0, &set))
        return false;
    for (int number = 0, i; (i = argument_at(t, open, number)) != 0; number++)
        if (same_word(t, parameter_name(t, i), name))
            return !set && gets_unseen(t, function, number, deep + 1);
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
    return is(t, next(t, *last), ",)") && (end || is_unseen(t, *first, 0));
}
