/* May this be touched?
 *
 * Rule: a kernel may access device memory that is allocated, the block's own shared variables, the
 * dynamic shared memory that the launch asked for, and the thread's own local variables; the
 * address must be a multiple of the access's size. The host may access its own, pinned and managed
 * memory.
 *
 * Source: CUDA C++ Programming Guide, "Device Memory", "Shared Memory", "Variable Memory Space
 * Specifiers". */
#include "judge/judge.h"
#include "run/block.h"
#include "run/symbols.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Adds a finding with a sentence (printf's arguments). Returns false: the access is not allowed. */
__attribute__((format(printf, 4, 5))) static bool refuse(enum finding_kind kind,
                                                         const struct lane *lane,
                                                         struct lane_access access,
                                                         const char *format, ...)
{
    struct finding finding = finding_of(kind, lane, access.pc, access.kind, access.size);
    va_list args;

    va_start(args, format);
    vsnprintf(finding.detail, sizeof finding.detail, format, args);
    va_end(args);
    finding_add(&finding);
    return false;
}

/* Adds a sentence that says where the address lies. */
static void describe(struct finding *finding, const void *address)
{
    struct memory memory = memory_at(address);

    if (!memory.freed) {
        finding_write(finding, "%s", memory_describe(address));
        return;
    }
    struct source_line made = source_line_at(code_offset(memory.made)),
                       freed = source_line_at(code_offset(memory.freed));
    finding_write(finding,
                  "It lies %zu bytes into freed memory: %zu bytes, allocated at %s:%d, "
                  "freed at %s:%d.",
                  (uintptr_t)address - memory.begin, memory.size, made.file, made.line, freed.file,
                  freed.line);
}

/* Stops the launch if the bytes cannot be read. The operating system tells: a change of the mask of
 * signals reads the 8 bytes first (none at a null pointer, and returns 0), and then refuses -1. */
static void stop_unless_there(const struct lane *lane, struct lane_access access)
{
    if (syscall(SYS_rt_sigprocmask, -1, access.address / 8 * 8, NULL, 8) != 0 && errno == EINVAL)
        return;
    /* as if it came to a deed: perhaps the address depends on an undefined value */
    (void)STRAY_AT(&lane->block->lane[lane->index], .kind = DEED_FAILS, .a = access.address);
    observer_fatal(&(struct fatal){.kind = FINDING_NO_MEMORY,
                                   .block = lane->block,
                                   .lane = lane,
                                   .address = (const void *)access.address,
                                   .pc = (const void *)(code_address(access.pc) - 1)});
}

static bool allow_global(const struct lane *lane, struct lane_access access)
{
    const void *address = (const void *)access.address;
    struct memory memory = memory_at(address);
    bool within = memory_holds(&memory, address, access.size);

    if (within && !memory_is_constant(&memory))
        return true;
    stop_unless_there(lane, access);
    struct finding finding =
        finding_of(FINDING_GLOBAL_BOUNDS, lane, access.pc, access.kind, access.size);
    describe(&finding, address);
    finding_say(&finding, "%s", within ? " A kernel can only read such a variable." : "");
    return false;
}

static bool allow_shared(const struct lane *lane, struct lane_access access)
{
    struct array array = space_array(lane->block, access.address, SPACE_SHARED);
    size_t offset = access.address - array.begin;

    if (array.begin == 0)
        return refuse(FINDING_SHARED_BOUNDS, lane, access, "It lies in front of all variables.");
    if (offset + access.size <= array.size)
        return true;
    if (array.begin == (uintptr_t)simt_dynamic_shared)
        return refuse(FINDING_SHARED_BOUNDS, lane, access,
                      "It touches byte %zu of the dynamic shared memory; the launch asked for %zu "
                      "bytes.",
                      offset, array.size);
    return refuse(FINDING_SHARED_BOUNDS, lane, access,
                  "It touches byte %zu of %s, which has %zu bytes.", offset, array.name,
                  array.size);
}

/* Are all bytes zero that nobody set? */
static bool is_zero(const struct symbol *symbol)
{
    const char *byte = (const char *)symbol->begin + symbol->set;

    return byte[0] == 0 && memcmp(byte, byte + 1, symbol->size - symbol->set - 1) == 0;
}

/* A note: a constant without an initial value, or the end of one, that was never copied to. It is
 * zero, which may be intended. */
static void note_unset(const struct lane *lane, struct lane_access access)
{
    const void *address = (const void *)access.address;
    const struct symbol *symbol = symbols_near(address) ? symbols_at(address) : NULL;

    if (symbol && access.address + access.size > symbol->begin + symbol->set && is_zero(symbol))
        refuse(FINDING_UNSET, lane, access,
               "It reads %s, a __constant__ variable of %zu bytes, of which the host set %zu. "
               "The others are zero.",
               symbol->name, symbol->size, symbol->set);
}

bool bounds_allow(const struct lane *lane, struct lane_access access, enum count_space space)
{
    if (space == SPACE_SHARED)
        return allow_shared(lane, access);
    if (space > SPACE_SHARED && space != SPACE_HOST) {
        note_unset(lane, access);
        return true;
    }
    if (space != SPACE_HOST)
        return allow_global(lane, access);
    stop_unless_there(lane, access);
    const struct fiber_stacks *stacks = &lane->block->stacks; /* its own come to no check */
    const char *address = (const char *)access.address;
    if (address >= stacks->base && address < fiber_stack_end(stacks, stacks->count - 1))
        return refuse(FINDING_HOST_POINTER, lane, access,
                      "It is another thread's local variable: what both use must be __shared__.");
    const char *variable = symbols_host(access.address);
    return refuse(FINDING_HOST_POINTER, lane, access,
                  variable ? "It lies in %s, a host variable." : "%s", variable ? variable : "");
}

/* A type with a smaller alignment comes here word by word (watch/hooks.c). Exception: 16 bytes at a
 * multiple of 8 may be a structure of two doubles. */
void bounds_misaligned(const struct lane *lane, struct lane_access access)
{
    unsigned past = (unsigned)(access.address % access.size);

    if (access.size != 16 || past != 8 || !simt_structures)
        refuse(FINDING_MISALIGNED, lane, access, "The address is %u byte%s past a multiple of %u.",
               past, past == 1 ? "" : "s", access.size);
}

/* The host may not use __device__ variables, although it has their names. */
static bool host_may_use(const void *address, unsigned size)
{
    struct memory memory = memory_at(address);

    return (!symbols_near(address) && !memory_is_device(address)) ||
           (memory.kind != MEMORY_DEVICE && memory_holds(&memory, address, size));
}

bool bounds_host(uintptr_t address, unsigned size, bool store, const void *pc)
{
    const void *p = (const void *)address;

    if (host_may_use(p, size))
        return true;
    struct memory meant = memory_nearest(p);
    bool of_device = meant.kind == MEMORY_DEVICE && !memory_at(p).freed;
    struct finding finding = {.kind = !of_device     ? FINDING_GLOBAL_BOUNDS
                                      : meant.symbol ? FINDING_DEVICE_VARIABLE
                                                     : FINDING_DEVICE_POINTER,
                              .actor[0] = finding_host(pc, store ? EVENT_STORE : EVENT_LOAD, size),
                              .line[0] = source_of_host(code_offset(pc)),
                              .actors = 1};
    if (meant.symbol || !of_device)
        describe(&finding, p);
    finding_add(&finding);
    if (store)
        memory_write(p, NULL, size); /* or a kernel's read of it would be a second finding */
    return false;
}
