/* What a source declares at file, namespace and class scope, and for whom: as far as tokens tell.
 */
#ifndef SIMT_DECLARATIONS_H
#define SIMT_DECLARATIONS_H

#include "compile/tokens.h"

/* For whom something is: FOR_BOTH is also what is constexpr; OF_SYSTEM: a
 * system header's function, whose variables are left out. */
enum { FOR_HOST = 1, FOR_DEVICE = 2, IS_KERNEL = 4, FOR_BOTH = 8, OF_SYSTEM = 16 };

/* One declaration of a function or a variable. Tokens are named by their index. */
struct declaration {
    char *name; /* qualified, without template arguments: "a::S::get" */
    unsigned for_whom;
    int at;   /* the name's last word */
    int body; /* a function's brace, or 0 */
};

struct declarations {
    struct declaration *of; /* sorted by name */
    size_t count, room;
};

/* All declarations, which the caller frees by declarations_free. Those of templates count once;
 * operators, friends, and what is defaulted or deleted are left out. */
struct declarations declarations_find(const struct token *t);
void declarations_free(struct declarations *declarations);

/* The first declaration of that name, *count all of them, which follow it; NULL: there is none. */
const struct declaration *declarations_of(const struct declarations *declarations, const char *name,
                                          size_t *count);

#endif
