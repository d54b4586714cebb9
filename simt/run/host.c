/* Keeps the sizes of the host's arrays.
 *
 * Blocks are written down where the program's own code asks for them (heap.c). But anybody may free
 * them, a library too; the size would stay, and soon be another block's. So `free` and `realloc` of
 * the whole process are ours: they forget the block, and call the C library's. Where they are not
 * (a program linked with -static, or with a malloc of its own), no block is written down. */
#define _GNU_SOURCE
#include "run/host.h"
#include "run/symbols.h"
#include "simt_device.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- blocks: a hash table, of which at least half is free. Its memory is no block. ---- */

struct block_size {
    uintptr_t begin; /* 0: free */
    size_t size;
};

enum { FIRST_ROOM = 1 << 12, MOST_ROOM = 1 << 24 };

static struct block_size *table;
static size_t table_room;  /* a power of two */
static size_t table_count; /* atomic: where there is none, nothing is locked */
static bool full;          /* there was no room for all: none is written down any more */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t home_of(uintptr_t begin)
{
    return (begin >> 4) * 0x9e3779b97f4a7c15u >> 20 & (table_room - 1);
}

/* Where the block is, or would be put. */
static struct block_size *find_block(uintptr_t begin)
{
    size_t i = home_of(begin);

    while (table[i].begin && table[i].begin != begin)
        i = (i + 1) & (table_room - 1);
    return &table[i];
}

static void *map_table(size_t room)
{
    void *p = room > MOST_ROOM ? MAP_FAILED
                               : mmap(NULL, room * sizeof *table, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Twice the room, or none at all. */
static void grow(void)
{
    struct block_size *old = table;
    size_t old_room = table_room;

    table_room = old_room ? 2 * old_room : FIRST_ROOM;
    table = map_table(table_room);
    full = !table;
    if (full)
        __atomic_store_n(&table_count, table_room = 0, __ATOMIC_RELAXED);
    for (size_t i = 0; i < old_room && !full; i++)
        if (old[i].begin)
            *find_block(old[i].begin) = old[i];
    if (old)
        munmap(old, old_room * sizeof *old);
}

/* Blocks behind the gap that would no longer be found move into it. */
static void remove_block(struct block_size *gap)
{
    size_t mask = table_room - 1;

    for (size_t i = (size_t)(gap - table + 1) & mask; table[i].begin; i = (i + 1) & mask)
        if (((i - home_of(table[i].begin)) & mask) >= ((i - (size_t)(gap - table)) & mask)) {
            *gap = table[i];
            gap = &table[i];
        }
    gap->begin = 0;
    __atomic_sub_fetch(&table_count, 1, __ATOMIC_RELAXED);
}

static void write_down(void *ptr, size_t size)
{
    pthread_mutex_lock(&lock);
    if (!full && 2 * (table_count + 1) > table_room)
        grow();
    if (!full) {
        struct block_size *block = find_block((uintptr_t)ptr);
        if (!block->begin)
            __atomic_add_fetch(&table_count, 1, __ATOMIC_RELAXED);
        *block = (struct block_size){(uintptr_t)ptr, size};
    }
    pthread_mutex_unlock(&lock);
}

/* Returns ptr, which somebody is about to free. */
static void *forget(void *ptr)
{
    if (!ptr || __atomic_load_n(&table_count, __ATOMIC_RELAXED) == 0)
        return ptr;
    pthread_mutex_lock(&lock);
    struct block_size *block = table ? find_block((uintptr_t)ptr) : NULL;
    if (block && block->begin)
        remove_block(block);
    pthread_mutex_unlock(&lock);
    return ptr;
}

/* The block that the address lies in, mostly at its begin. */
static bool find_around(uintptr_t address, struct block_size *found)
{
    *found = (struct block_size){0};
    pthread_mutex_lock(&lock);
    if (table)
        *found = *find_block(address);
    for (size_t i = 0; i < table_room && !found->begin; i++)
        if (address - table[i].begin < table[i].size)
            *found = table[i];
    pthread_mutex_unlock(&lock);
    return found->begin && address - found->begin < found->size;
}

/* ---- who frees ---- */

static bool frees_come_here;

#ifdef __GLIBC__
void __libc_free(void *ptr);
void *__libc_realloc(void *ptr, size_t size);

__attribute__((weak)) void free(void *ptr)
{
    if (!__atomic_load_n(&frees_come_here, __ATOMIC_RELAXED))
        __atomic_store_n(&frees_come_here, true, __ATOMIC_RELAXED);
    __libc_free(forget(ptr));
}

__attribute__((weak)) void *realloc(void *ptr, size_t size)
{
    return __libc_realloc(forget(ptr), size);
}
#endif

/* Those of the C++ library, which calls free from outside the program, or the program's own. */
void *_Znwm(size_t size) __attribute__((weak));
void _ZdlPv(void *ptr) __attribute__((weak));

static void see_who_frees(void)
{
    frees_come_here = false;
    if (_Znwm && _ZdlPv)
        _ZdlPv(_Znwm(1));
}

void *host_allocated(void *ptr, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, see_who_frees);
    if (ptr && __atomic_load_n(&frees_come_here, __ATOMIC_RELAXED))
        write_down(ptr, size);
    return ptr;
}

/* ---- variables ---- */

struct variable {
    const char *name; /* mangled */
    uintptr_t begin;
    size_t size;
};

static struct variable *variables;
static size_t variable_count, variable_room;

static void take_variable(const char *name, const ElfW(Sym) * symbol, bool own)
{
    if (own || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
        return;
    if (variable_count == variable_room) {
        size_t room = variable_room ? 2 * variable_room : 256;
        struct variable *larger = realloc(variables, room * sizeof *larger);
        if (!larger)
            return; /* then it is not known */
        variables = larger;
        variable_room = room;
    }
    variables[variable_count++] =
        (struct variable){strdup(name), symbol->st_value, symbol->st_size};
}

static void read_variables(void)
{
    symbols_read(take_variable);
}

static const struct variable *variable_at(uintptr_t address)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_variables);
    for (size_t i = 0; i < variable_count; i++)
        if (address - variables[i].begin < variables[i].size)
            return &variables[i];
    return NULL;
}

/* ---- what the compiler sees at a call ---- */

static _Thread_local struct {
    uintptr_t begin;
    size_t size;
} seen[2];

void simt_host_sides(const void *to, size_t to_bytes, const void *from, size_t from_bytes)
{
    seen[0].begin = (uintptr_t)to;
    seen[0].size = to_bytes == SIZE_MAX ? 0 : to_bytes;
    seen[1].begin = (uintptr_t)from;
    seen[1].size = from_bytes == SIZE_MAX ? 0 : from_bytes;
}

size_t host_bytes_from(const void *ptr, char *what, size_t room)
{
    uintptr_t address = (uintptr_t)ptr;
    const struct variable *variable = variable_at(address);
    struct block_size block;

    if (variable) {
        snprintf(what, room, "%s, of %zu bytes", symbols_short_name(variable->name),
                 variable->size);
        return variable->begin + variable->size - address;
    }
    if (find_around(address, &block)) {
        snprintf(what, room, "a block of %zu bytes", block.size);
        return block.begin + block.size - address;
    }
    for (int i = 0; i < 2; i++)
        if (address - seen[i].begin < seen[i].size) {
            snprintf(what, room, "a local array");
            return seen[i].begin + seen[i].size - address;
        }
    return SIZE_MAX;
}
