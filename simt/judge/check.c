/* Finds the memory that an address lies in, and the accesses that are allowed nowhere. */
#define _GNU_SOURCE
#include "judge/check.h"
#include "judge/finding.h"
#include "run/memory.h"
#include "run/runtime.h"
#include "watch/symbol.h"

#include <stdio.h>

extern char __executable_start[], etext[], edata[], end[];

struct shared_memory check_shared_memory(void)
{
    size_t size;
    char *tls = symbol_tls(&size);

    return (struct shared_memory){(uintptr_t)tls, (uintptr_t)tls + size,
                                  (uintptr_t)simt_dynamic_shared};
}

static struct finding finding_of(enum finding_kind kind, const struct block *block,
                                 const struct warp_event *event, int lane, unsigned warp)
{
    return (struct finding){.kind = kind,
                            .launch = block->launch,
                            .actor[0] = finding_actor(block, key_pc(event->key, event->depth), warp,
                                                      lane, event->kind, event->size),
                            .actors = 1,
                            .address = event->address[lane]};
}

/* The shared variable that begins last at or before offset, NULL if there is none. */
static const struct shared_variable *variable_before(size_t offset)
{
    size_t count, low = 0;
    const struct shared_variable *variables = symbol_shared(&count);

    for (size_t high = count; low < high;) {
        size_t middle = (low + high) / 2;
        if (variables[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &variables[low - 1] : NULL;
}

/* The check_ functions report what is out of bounds and return whether the access is in order. */
static bool check_static_shared(const struct block *block, const struct shared_memory *shared,
                                const struct warp_event *event, int lane, unsigned warp)
{
    size_t offset = event->address[lane] - shared->tls;
    const struct shared_variable *v = variable_before(offset);

    if (v && offset + event->size <= v->offset + v->size)
        return true;
    struct finding finding = finding_of(FINDING_SHARED_BOUNDS, block, event, lane, warp);
    if (v)
        snprintf(finding.detail, sizeof finding.detail,
                 "It touches byte %zu of %s, which has %zu bytes.", offset - v->offset, v->name,
                 v->size);
    finding_add(&finding);
    return false;
}

static bool check_dynamic_shared(const struct block *block, const struct shared_memory *shared,
                                 const struct warp_event *event, int lane, unsigned warp)
{
    size_t offset = event->address[lane] - shared->dynamic;

    if (offset + event->size <= block->launch->shared)
        return true;
    struct finding finding = finding_of(FINDING_SHARED_BOUNDS, block, event, lane, warp);
    snprintf(finding.detail, sizeof finding.detail,
             "It touches byte %zu of the dynamic shared memory; the launch asked for %zu bytes.",
             offset, block->launch->shared);
    finding_add(&finding);
    return false;
}

static bool check_global(const struct block *block, const struct warp_event *event, int lane,
                         unsigned warp)
{
    const void *address = (const void *)(uintptr_t)event->address[lane];

    if (memory_is_allocated(address, event->size))
        return true;
    struct finding finding = finding_of(FINDING_GLOBAL_BOUNDS, block, event, lane, warp);
    memory_describe(address, finding.detail, sizeof finding.detail);
    finding_add(&finding);
    return false;
}

static void report_host_pointer(const struct block *block, const struct warp_event *event, int lane,
                                unsigned warp)
{
    struct finding finding = finding_of(FINDING_HOST_POINTER, block, event, lane, warp);
    if (event->address[lane] < 4096)
        snprintf(finding.detail, sizeof finding.detail, "It is a null pointer, or nearly.");
    finding_add(&finding);
}

enum count_space check_access(const struct block *block, const struct shared_memory *shared,
                              const struct warp_event *event, int lane, unsigned warp, bool checks)
{
    uintptr_t address = event->address[lane];
    const char *p = (const char *)address;

    if (memory_is_device(p))
        return !checks || check_global(block, event, lane, warp) ? SPACE_GLOBAL : SPACE_NONE;
    if (address - shared->dynamic < DEVICE_SHARED_OPTIN)
        return !checks || check_dynamic_shared(block, shared, event, lane, warp) ? SPACE_SHARED
                                                                                 : SPACE_NONE;
    if (address >= shared->tls && address < shared->tls_end)
        return !checks || check_static_shared(block, shared, event, lane, warp) ? SPACE_SHARED
                                                                                : SPACE_NONE;
    if (memory_is_symbol(p, event->size))
        return memory_is_constant(p) ? SPACE_NONE : SPACE_GLOBAL;
    if (p >= __executable_start && p < edata && event->kind == EVENT_LOAD)
        return SPACE_NONE; /* tables and strings that the compiler made */
    if (checks)
        report_host_pointer(block, event, lane, warp);
    return SPACE_NONE;
}

void check_range(const struct block *block, const struct shared_memory *shared, uintptr_t address,
                 enum count_space space, uintptr_t *begin, uintptr_t *end)
{
    const struct shared_variable *v;

    *begin = UINTPTR_MAX;
    *end = 0;
    if (space == SPACE_GLOBAL) {
        memory_allocation((const void *)address, begin, end);
    } else if (address - shared->dynamic < DEVICE_SHARED_OPTIN) {
        *begin = shared->dynamic;
        *end = shared->dynamic + block->launch->shared;
    } else if ((v = variable_before(address - shared->tls)) != NULL) {
        *begin = shared->tls + v->offset;
        *end = *begin + v->size;
    }
}

const char *check_array(const struct block *block, const struct shared_memory *shared,
                        uintptr_t address, enum count_space space, uintptr_t *begin, size_t *size)
{
    const struct shared_variable *v;
    const char *name = NULL;

    *begin = *size = 0;
    if (space == SPACE_GLOBAL) {
        name = memory_array((const void *)address, begin, size);
    } else if (address - shared->dynamic < DEVICE_SHARED_OPTIN) {
        *begin = shared->dynamic;
        *size = block->launch->shared;
        name = "dynamic";
    } else if ((v = variable_before(address - shared->tls)) != NULL) {
        *begin = shared->tls + v->offset;
        *size = v->size;
        name = v->name;
    }
    return name ? name : "?";
}
