/* What an exercise's reference.c includes. It says what is right, and is the marker's: no program
 * of a student ever holds it. It is compiled once a type of elements, as C, with ints that wrap.
 *
 *     #include "work.h"
 *
 *     void reference(struct work *w)
 *     {
 *         const elem_t *in = elems(w, "in");
 *         elem_t *out = elems(w, "out");
 *         …
 *     }
 *
 * Inputs that no inputs() fills hold odd ints from -255 to 255, or odd multiples of one half from
 * -7.5 to 7.5: none is 0, and any sum of up to 2^20 of them is exact, in every order. */
#ifndef WORK_H
#define WORK_H

#include "elem.h"
#include "wire.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The task's sizes, and its arrays but those to work with, all host memory of the marker's. */
struct work {
    const struct wire_size *size;
    const struct wire_array *array;
    void *const *data;
    unsigned sizes, arrays;
    unsigned long long *random;
};

/* Fills the outputs, which hold zeros, from the inputs. Every reference.c defines it. */
void reference(struct work *w);

/* Fills inputs with other than the usual values. A reference.c may define it. */
void inputs(struct work *w);

/* The size of that name; an array, on the host. */
static inline size_t size(const struct work *w, const char *name)
{
    for (unsigned i = 0; i < w->sizes; i++)
        if (strcmp(w->size[i].name, name) == 0)
            return w->size[i].value;
    fprintf(stderr, "reference.c: no size '%s' in task.txt\n", name);
    abort();
}

static inline void *array(const struct work *w, const char *name, size_t bytes)
{
    for (unsigned i = 0; i < w->arrays; i++)
        if (strcmp(w->array[i].name, name) == 0 && w->array[i].bytes == bytes)
            return w->data[i];
    fprintf(stderr, "reference.c: no array '%s' with elements of %zu bytes in task.txt\n", name,
            bytes);
    abort();
}

static inline elem_t *elems(const struct work *w, const char *name)
{
    return array(w, name, sizeof(elem_t));
}

static inline int *ints(const struct work *w, const char *name)
{
    return array(w, name, sizeof(int));
}

/* A random number of 32 bits (Vigna's splitmix64). */
static inline unsigned next_random(unsigned long long *state)
{
    unsigned long long x = *state += 0x9e3779b97f4a7c15ull;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return (unsigned)((x ^ x >> 31) >> 32);
}

#endif
