/* Looks addresses up: shared variables, dynamic shared memory, allocations. */
#include "watch/space.h"
#include "run/runtime.h"
#include "run/symbols.h"
#include "watch/source.h"

#include <link.h>

/* ---- the thread-local variables of this OS thread ---- */

_Thread_local struct range space_shared;

/* The first module is the program itself. */
static int find_tls(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_TLS)
            continue;
        space_shared.begin = (uintptr_t)info->dlpi_tls_data;
        space_shared.end = space_shared.begin + info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

void space_begin(void)
{
    if (!space_shared.end)
        dl_iterate_phdr(find_tls, NULL);
}

bool space_is_guard(uintptr_t address)
{
    const struct symbol *guard = symbols_below(SYMBOL_GUARD, address - space_shared.begin);

    return guard && guard->begin == address - space_shared.begin;
}

bool space_is_dynamic(uintptr_t address)
{
    return address - (uintptr_t)simt_dynamic_shared < GPU_MOST_SHARED;
}

enum count_space space_elsewhere(uintptr_t address, unsigned size, enum event_kind kind)
{
    const char *p = (const char *)address;
    struct memory memory = memory_at(p);

    if (memory_holds(&memory, p, size) && memory_is_constant(&memory) && kind == EVENT_LOAD)
        return SPACE_NONE;
    if (symbols_near(p) || memory.kind != MEMORY_NONE || memory_is_near(p))
        return SPACE_GLOBAL;
    if (p >= __executable_start && p < edata && kind == EVENT_LOAD && !symbols_is_host(address))
        return SPACE_NONE; /* tables and strings that the compiler made */
    return SPACE_HOST;
}

struct range space_range(const struct block *block, uintptr_t address, enum count_space space)
{
    struct range range = {UINTPTR_MAX, 0};
    const struct symbol *v;

    if (space == SPACE_GLOBAL) {
        struct memory memory = memory_at((const void *)address);
        range = (struct range){memory.begin, memory.begin + memory.size};
    } else if (space_is_dynamic(address)) {
        range.begin = (uintptr_t)simt_dynamic_shared;
        range.end = range.begin + block->launch->shared;
    } else if ((v = symbols_below(SYMBOL_SHARED, address - space_shared.begin)) != NULL) {
        range.begin = space_shared.begin + v->begin;
        range.end = range.begin + v->size;
    }
    return range;
}

struct array space_array(const struct block *block, uintptr_t address, enum count_space space)
{
    struct range range = space_range(block, address, space);
    struct array array = {NULL, range.begin, range.end - range.begin};

    if (space == SPACE_GLOBAL)
        array.name = memory_array((const void *)address, &array.begin, &array.size);
    else if (space_is_dynamic(address))
        array.name = "dynamic";
    else if (range.begin < range.end)
        array.name = symbols_below(SYMBOL_SHARED, address - space_shared.begin)->name;
    return array.name ? array : (struct array){"?", 0, 0};
}
