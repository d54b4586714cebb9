/* Looks addresses up: shared variables, dynamic shared memory, allocations. */
#include "watch/space.h"
#include "run/facts.h"
#include "run/memory.h"
#include "run/symbols.h"
#include "watch/variables.h"

/* The program's segments; the linker defines them. */
extern char __executable_start[], edata[];

/* Each OS thread that launches has its own. */
struct shared_memory space_shared_memory(void)
{
    static _Thread_local struct shared_memory shared;
    size_t size;

    if (!shared.tls) {
        char *tls = variables_tls(&size);
        shared = (struct shared_memory){(uintptr_t)tls, (uintptr_t)tls + size,
                                        (uintptr_t)simt_dynamic_shared};
    }
    return shared;
}

static bool is_dynamic(const struct shared_memory *shared, uintptr_t address)
{
    return address - shared->dynamic < DEVICE_MOST_SHARED;
}

size_t space_shared_words(const struct shared_memory *shared)
{
    size_t dynamic = (size_t)device_facts()->shared_block_kib * 1024;
    return (shared->tls_end - shared->tls) / 4 + dynamic / 4 + 2;
}

size_t space_shared_word(const struct shared_memory *shared, uintptr_t address)
{
    if (is_dynamic(shared, address))
        return (shared->tls_end - shared->tls) / 4 + 1 + (address - shared->dynamic) / 4;
    return (address - shared->tls) / 4;
}

enum count_space space_of(const struct shared_memory *shared, uintptr_t address, unsigned size,
                          enum event_kind kind)
{
    const char *p = (const char *)address;

    if (memory_is_device(p))
        return SPACE_GLOBAL;
    if (is_dynamic(shared, address) || (address >= shared->tls && address < shared->tls_end))
        return SPACE_SHARED;
    if (symbols_near(p))
        return memory_is_constant(p) && memory_is_symbol(p, size) && kind == EVENT_LOAD
                   ? SPACE_NONE
                   : SPACE_GLOBAL;
    if (memory_is_allocated(p, size))
        return SPACE_GLOBAL; /* of the host, registered */
    if (p >= __executable_start && p < edata && kind == EVENT_LOAD)
        return SPACE_NONE; /* tables and strings that the compiler made */
    return SPACE_HOST;
}

const struct shared_variable *space_variable(const struct shared_memory *shared, uintptr_t address)
{
    size_t count, low = 0, offset = address - shared->tls;
    const struct shared_variable *variables = variables_shared(&count);

    for (size_t high = count; low < high;) {
        size_t middle = (low + high) / 2;
        if (variables[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &variables[low - 1] : NULL;
}

static struct range symbol_range(const struct symbol *symbol)
{
    return (struct range){symbol->begin, symbol->begin + symbol->size};
}

struct range space_range(const struct block *block, const struct shared_memory *shared,
                         uintptr_t address, enum count_space space)
{
    struct range range = {UINTPTR_MAX, 0};
    const struct shared_variable *v;

    if (space == SPACE_GLOBAL && symbols_near((const void *)address))
        range = symbol_range(symbols_at((const void *)address));
    else if (space == SPACE_GLOBAL)
        memory_allocation((const void *)address, &range.begin, &range.end);
    else if (is_dynamic(shared, address))
        range = (struct range){shared->dynamic, shared->dynamic + block->launch->shared};
    else if ((v = space_variable(shared, address)) != NULL)
        range = (struct range){shared->tls + v->offset, shared->tls + v->offset + v->size};
    return range;
}

struct array space_array(const struct block *block, const struct shared_memory *shared,
                         uintptr_t address, enum count_space space)
{
    struct array array = {NULL, 0, 0};
    const struct shared_variable *v;

    if (space == SPACE_GLOBAL)
        array.name = memory_array((const void *)address, &array.begin, &array.size);
    else if (is_dynamic(shared, address))
        array = (struct array){"dynamic", shared->dynamic, block->launch->shared};
    else if ((v = space_variable(shared, address)) != NULL)
        array = (struct array){v->name, shared->tls + v->offset, v->size};
    return array.name ? array : (struct array){"?", 0, 0};
}
