/* Looks addresses up: shared variables, dynamic shared memory, allocations. */
#define _GNU_SOURCE
#include "watch/space.h"
#include "run/device.h"
#include "run/memory.h"
#include "run/symbols.h"

#include <link.h>

/* The program's segments; the linker defines them. */
extern char __executable_start[], edata[];

/* ---- the thread-local variables of this OS thread ---- */

/* The first module is the program itself. */
static int find_tls(struct dl_phdr_info *info, size_t size, void *result)
{
    struct shared_memory *shared = result;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_TLS)
            continue;
        shared->tls = (uintptr_t)info->dlpi_tls_data;
        shared->tls_end = shared->tls + info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

/* Each OS thread that launches has its own. */
static _Thread_local struct shared_memory own;

struct shared_memory space_shared_memory(void)
{
    if (!own.tls) {
        dl_iterate_phdr(find_tls, &own);
        own.dynamic = (uintptr_t)simt_dynamic_shared;
    }
    return own;
}

bool space_is_guard(uintptr_t address)
{
    const struct symbol *guard = symbols_below(SYMBOL_GUARD, address - own.tls);

    return guard && guard->begin == address - own.tls;
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
    struct memory memory = memory_at(p);
    if (memory_holds(&memory, p, size) && memory_is_constant(&memory) && kind == EVENT_LOAD)
        return SPACE_NONE;
    if (symbols_near(p))
        return SPACE_GLOBAL;
    if (p >= __executable_start && p < edata && kind == EVENT_LOAD)
        return SPACE_NONE; /* tables and strings that the compiler made */
    return SPACE_HOST;
}

const struct symbol *space_variable(const struct shared_memory *shared, uintptr_t address)
{
    return symbols_below(SYMBOL_SHARED, address - shared->tls);
}

struct range space_range(const struct block *block, const struct shared_memory *shared,
                         uintptr_t address, enum count_space space)
{
    struct range range = {UINTPTR_MAX, 0};
    const struct symbol *v;

    if (space == SPACE_GLOBAL && symbols_near((const void *)address)) {
        v = symbols_at((const void *)address);
        range = (struct range){v->begin, v->begin + v->size};
    } else if (space == SPACE_GLOBAL) {
        memory_allocation((const void *)address, &range.begin, &range.end);
    } else if (is_dynamic(shared, address)) {
        range = (struct range){shared->dynamic, shared->dynamic + block->launch->shared};
    } else if ((v = space_variable(shared, address)) != NULL) {
        range = (struct range){shared->tls + v->begin, shared->tls + v->begin + v->size};
    }
    return range;
}

struct array space_array(const struct block *block, const struct shared_memory *shared,
                         uintptr_t address, enum count_space space)
{
    struct range range = space_range(block, shared, address, space);
    struct array array = {NULL, range.begin, range.end - range.begin};

    if (space == SPACE_GLOBAL)
        array.name = memory_array((const void *)address, &array.begin, &array.size);
    else if (is_dynamic(shared, address))
        array.name = "dynamic";
    else if (range.begin < range.end)
        array.name = space_variable(shared, address)->name;
    return array.name ? array : (struct array){"?", 0, 0};
}
