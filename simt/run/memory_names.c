/* Names memory, for traces and findings. */
#define _GNU_SOURCE
#include "run/array.h"
#include "run/memory.h"
#include "simt.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Describes memory in words, with the name that the program gave it. The next call overwrites the
 * text. */
static const char *in_words(const struct memory *m)
{
    static char text[256];

    if (m->symbol)
        snprintf(text, sizeof text, "%.128s, a %s variable of %zu bytes", m->symbol->name,
                 m->symbol->constant  ? "__constant__"
                 : m->symbol->managed ? "__managed__"
                                      : "__device__",
                 m->size);
    else if (m->name && !isdigit((unsigned char)*m->name)) /* else it is a trace's number */
        snprintf(text, sizeof text, "%.64s, an array of %zu bytes", m->name, m->size);
    else
        snprintf(text, sizeof text, "an allocation of %zu bytes", m->size);
    return text;
}

/* An int index that overflowed leads at least so far. */
static const size_t FAR = (size_t)1 << 30;

void memory_describe(const void *address, char *text, size_t room)
{
    uintptr_t at = (uintptr_t)address;
    struct memory near = memory_nearest(address);
    size_t distance = at < near.begin ? near.begin - at : at - near.begin;

    if (near.size == 0)
        snprintf(text, room, "Nothing is allocated there; has it been freed?");
    else if (at >= near.begin && (near.symbol || distance < near.size))
        snprintf(text, room, "It touches byte %zu of %s.", distance, in_words(&near));
    else
        snprintf(text, room, "It lies %zu byte%s %s %s%s", distance, distance == 1 ? "" : "s",
                 at < near.begin ? "before" : "past the start of", in_words(&near),
                 distance < FAR ? "."
                                : ": has an int overflowed, or an unsigned index gone below 0?");
}

/* ---- traces' names ---- */

void simt_set_name(const void *ptr, const char *name)
{
    struct memory *a = memory_entry(ptr);

    if (a && !(a->name = strdup(name)))
        array_no_memory();
}

const char *memory_array(const void *address, uintptr_t *begin, size_t *size)
{
    struct memory *a = memory_entry(address);

    if (memory_at(address).symbol) {
        *begin = (uintptr_t)__start_simt_device / 32 * 32;
        *size = (size_t)((uintptr_t)__stop_simt_device - *begin);
        return "__device__";
    }
    if (!a)
        return NULL;
    if (!a->name && asprintf(&a->name, "%u", a->number) < 0)
        array_no_memory();
    *begin = a->begin;
    *size = a->size;
    return a->name;
}
