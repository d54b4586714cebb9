/* Who uses whom, as g++ sees it before it optimises anything: read from the table of symbols that
 * it writes with -fdump-ipa-visibility. */
#ifndef SIMT_REFERENCES_H
#define SIMT_REFERENCES_H

#include <stdbool.h>
#include <stddef.h>

struct use {
    long number; /* the node's that is used */
    bool call;   /* or else it is read, written, or its address is taken */
};

/* A function or variable. */
struct node {
    long number; /* by which others name it */
    char *name;  /* qualified, without template arguments; NULL: none that could be read */
    bool function;
    bool within;       /* it is a lambda or a local class's, within the function of that name */
    bool is_constexpr; /* a function */
    bool foreign;      /* a function of C that this source does not define */
    const char *heap;  /* what asks for memory, or frees it: "new", "malloc", …; else NULL */
    bool array;        /* a variable */
    bool constant;     /* one that cannot change */
    bool placed;       /* thread-local, within a function or in a section of its own */
    struct use *uses;
    size_t use_count;
};

struct references {
    struct node *node; /* sorted by number */
    size_t count, room;
};

/* Of the dump's text, which is changed. Without such a table there are no nodes. The caller frees
 * them by references_free. */
struct references references_read(char *text);
void references_free(struct references *references);

/* The node of that number, or NULL. */
const struct node *references_node(const struct references *references, long number);

#endif
