/* An index that leads out of its array. The kernel's file is compiled with g++'s
 * -fsanitize=bounds-strict, which compares an index with its array's type, row by row, and calls
 * what we define here. One past the end may be named, as in &a[n]; an array of one element or none
 * may be the begin of a longer one, as at the end of a structure, and is not looked at. */
#include "run/observer.h"

#include <stdlib.h>
#include <string.h>

/* As libubsan declares them (ubsan_value.h, ubsan_handlers.h). */
struct type {
    uint16_t kind, info; /* an integer's info: signed + 2 * log2(bits) */
    char name[];         /* within apostrophes */
};

struct out_of_bounds {
    struct {
        const char *file;
        uint32_t line, column;
    } place;
    const struct type *array, *index;
};

/* Up to 64 bits travel as they are. More do not fit a long long, nor any array. */
static long long value_of(const struct type *type, uintptr_t bits)
{
    unsigned width = 1u << (type->info >> 1);
    uint64_t value = width > 64 ? *(const uint64_t *)bits : bits;
    unsigned above = width < 64 ? 64 - width : 0;

    value <<= above;
    return type->info & 1 ? (int64_t)value >> above : (long long)(value >> above);
}

/* How many elements an array has whose type's name ends so: "[4]" or, of arrays, "[4][8]". */
static unsigned long long elements_of(const char *name, const char *end)
{
    const char *bracket = NULL;

    while (end > name && end[-1] == ']')
        for (end--; end > name && end[0] != '['; end--)
            bracket = end;
    return bracket ? strtoull(bracket, NULL, 10) : 0;
}

void __ubsan_handle_out_of_bounds(const struct out_of_bounds *what, uintptr_t index)
{
    const char *name = what->array->name + 1; /* within apostrophes */
    int length = (int)strlen(name) - 1;
    unsigned long long elements = elements_of(name, name + length);
    struct complaint complaint = {
        .kind = FINDING_ARRAY_BOUNDS, .lane = simt_current_lane, .pc = __builtin_return_address(0)};

    if (simt_current_lane && elements > 1)
        observer_complain(complaint, "The index is %lld; %.*s has 0 to %llu.",
                          value_of(what->index, index), length, name, elements - 1);
}
