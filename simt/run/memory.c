/* Device memory: one mapping of which the operating system commits what is touched.
 *
 * Allocations are kept in a table sorted by address. Between two of them at least MEMORY_GRANULE
 * bytes stay free, so that an access past the end of one never falls into the next.
 *
 * A freed block stays in the table: nobody gets its addresses before there are many such blocks, or
 * no others, so that who uses it still is seen. Its bytes go back to the operating system at once.
 */
#define _GNU_SOURCE
#include "run/memory.h"
#include "run/array.h"
#include "run/end.h"
#include "run/error.h"
#include "run/observer.h"
#include "run/symbols.h"
#include "simt.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The region of __device__ variables. */
extern char __start_simt_device[] __attribute__((weak));
extern char __stop_simt_device[] __attribute__((weak));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the table: the host has threads */
static struct memory *table;
static size_t length, room_of_table, freed;
enum { MOST_FREED = 1024 }; /* that stay in the table */
struct memory_mapping memory_mapping;
static struct memory_mapping around;
uint64_t *written_bits;
bool memory_shared;

/* ---- the mapping ---- */

static void *map(size_t size, int access)
{
    return mmap(NULL, size, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void *map_bytes(size_t size)
{
    return map(size, PROT_READ | PROT_WRITE);
}

/* Address space for each byte of device memory: of it and what the checks keep (judge/word.h); for
 * all else, stacks above all; the least that a device has. */
enum { EACH = 112, FOR_ALL_ELSE = 256 << 20, LEAST = 1 << 20 };

/* Half of the computer's memory, or as much less as there is address space for. Before anything of
 * the program runs. */
__attribute__((constructor(101))) static void map_device_memory(void)
{
    size_t capacity = (size_t)sysconf(_SC_PHYS_PAGES) / 2 * (size_t)sysconf(_SC_PAGESIZE);
    void *all;

    while ((all = map_bytes(capacity * EACH + FOR_ALL_ELSE)) == MAP_FAILED && capacity > LEAST)
        capacity = capacity / 8 * 7;
    if (all == MAP_FAILED)
        end_fatal("no address space: want %zu MiB at least (ulimit -v or -d?)",
                  (LEAST * (size_t)EACH + FOR_ALL_ELSE) >> 20);
    munmap(all, capacity * EACH + FOR_ALL_ELSE);
    size_t side = (size_t)1 << MEMORY_AROUND_BITS;
    char *begin = map(capacity * EACH + FOR_ALL_ELSE + 2 * side, PROT_NONE);
    if (begin != MAP_FAILED) { /* else address space is short */
        around = (struct memory_mapping){(uintptr_t)begin, capacity + 2 * side};
        munmap(begin + around.size, capacity * EACH + FOR_ALL_ELSE - capacity);
        mprotect(begin += side, capacity, PROT_READ | PROT_WRITE);
    } else {
        begin = map_bytes(capacity);
    }
    memory_mapping = (struct memory_mapping){(uintptr_t)begin, capacity};
    written_bits = map_bytes(memory_words() / 2 + 16);
}

bool memory_is_near(const void *address)
{
    return (uintptr_t)address - around.begin < around.size;
}

/* Whole pages are given back, so that a large allocation costs nothing. */
static void clear(char *begin, char *end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *first = begin + -(uintptr_t)begin % page, *last = end - (uintptr_t)end % page;

    if (first >= last) {
        memset(begin, 0, (size_t)(end - begin));
        return;
    }
    memset(begin, 0, (size_t)(first - begin));
    madvise(first, (size_t)(last - first), MADV_DONTNEED);
    memset(last, 0, (size_t)(end - last));
}

/* ---- which bytes are written ---- */

void written_mark(uint64_t *bits, size_t byte, size_t size)
{
    for (size_t end = byte + size, count; byte < end; byte += count) {
        count = 64 - byte % 64 < end - byte ? 64 - byte % 64 : end - byte;
        bits[byte / 64] |= ~(uint64_t)0 >> (64 - count) << byte % 64;
    }
}

size_t memory_unwritten(const void *address, size_t size, size_t least, size_t *first)
{
    size_t begin = (uintptr_t)address - memory_mapping.begin, count = 0;

    if (written_all(written_bits, begin, size))
        return 0;
    for (size_t i = 0, run = 0; i < size; i += run ? run : 1) {
        for (run = 0; i + run < size && !written_all(written_bits, begin + i + run, 1);)
            run++;
        if (run >= least && count == 0)
            *first = i;
        count += run >= least ? run : 0;
    }
    return count;
}

void memory_written(const void *to, const void *from, size_t size)
{
    size_t byte = (uintptr_t)to - memory_mapping.begin;
    size_t source = (uintptr_t)from - memory_mapping.begin;
    struct memory memory = memory_at(from);

    if (!memory_is_device(to))
        return;
    written_mark(written_bits, byte, size);
    if (memory.kind != MEMORY_DEVICE || memory.symbol || written_all(written_bits, source, size))
        return;
    for (size_t i = 0; i < size; i++)
        if (!written_all(written_bits, source + i, 1))
            written_bits[(byte + i) / 64] &= ~((uint64_t)1 << (byte + i) % 64);
}

/* Nobody has written there. Allocations begin at multiples of far more than 8 bytes, with a gap
 * behind each. */
static void forget(uintptr_t begin, size_t size)
{
    size_t byte = begin - memory_mapping.begin;

    clear((char *)written_bits + byte / 8, (char *)written_bits + (byte + size + 7) / 8);
}

/* ---- the table ---- */

/* Allocations of which the place begins at the address or before it. */
static size_t count_to(uintptr_t address)
{
    size_t low = 0, high = length;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table[middle].home <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const void *memory_home(const void *address)
{
    for (size_t i = 0; i < length && !memory_is_device(address); i++)
        if ((uintptr_t)address - table[i].begin < table[i].size)
            return (const char *)address - table[i].begin + table[i].home;
    return address;
}

/* The table's own entry of what begins there or last before; NULL: nothing does. */
static struct memory *entry_at(const void *ptr)
{
    const void *home = memory_home(ptr);
    size_t count = memory_is_device(home) ? count_to((uintptr_t)home) : 0;

    return count > 0 ? &table[count - 1] : NULL;
}

static struct memory of_symbol(const struct symbol *symbol)
{
    return (struct memory){.kind = symbol->managed ? MEMORY_MANAGED : MEMORY_DEVICE,
                           .begin = symbol->begin,
                           .size = symbol->size,
                           .symbol = symbol};
}

struct memory memory_at(const void *address)
{
    const struct symbol *symbol = symbols_at(address);
    struct memory found = {.kind = MEMORY_NONE};

    if (symbol && symbol_holds(symbol, address, 1))
        return of_symbol(symbol);
    pthread_mutex_lock(&lock);
    const struct memory *a = entry_at(address);
    if (a && (uintptr_t)address - a->begin < a->size)
        found = *a;
    pthread_mutex_unlock(&lock);
    return found;
}

size_t memory_allocated(void)
{
    size_t sum = 0;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < length; i++)
        sum += table[i].kind == MEMORY_FREED ? 0 : table[i].size;
    pthread_mutex_unlock(&lock);
    return sum;
}

/* ---- where an address lies, in words ---- */

/* What is there in words, with the name that the program gave it; the next call overwrites them. */
static const char *in_words(const struct memory *m)
{
    static char text[256];

    if (m->symbol)
        snprintf(text, sizeof text, "%.128s, a %s variable of %zu bytes", m->symbol->name,
                 m->symbol->constant  ? "__constant__"
                 : m->symbol->managed ? "__managed__"
                                      : "__device__",
                 m->size);
    else if (m->name && !isdigit((unsigned char)*m->name)) /* else traces number it */
        snprintf(text, sizeof text, "%.64s, an array of %zu bytes", m->name, m->size);
    else
        snprintf(text, sizeof text, "an allocation of %zu bytes", m->size);
    return text;
}

/* The live allocation nearest to entry i, itself or further in steps of 1 or -1; NULL: none. */
static const struct memory *live_from(size_t i, int step)
{
    while (i < length && table[i].kind == MEMORY_FREED)
        i += (size_t)step;
    return i < length ? &table[i] : NULL;
}

/* The allocation that an address in it or next to it is likely meant for; size 0: there is none. */
static struct memory nearest_to(uintptr_t at)
{
    struct memory nearest = {.size = 0};

    pthread_mutex_lock(&lock);
    size_t count = count_to(at);
    const struct memory *before = live_from(count - 1, -1), *behind = live_from(count, 1);
    if (before)
        nearest = *before;
    size_t short_of = behind ? behind->home - at : SIZE_MAX;
    if (behind &&
        (!before || (short_of <= MEMORY_GRANULE && at - nearest.home >= nearest.size + short_of)))
        nearest = *behind;
    pthread_mutex_unlock(&lock);
    return nearest;
}

struct memory memory_behind(const void *address, size_t within)
{
    struct memory found = {.size = 0};

    pthread_mutex_lock(&lock);
    const struct memory *behind = live_from(count_to((uintptr_t)address), 1);
    if (behind && behind->home - (uintptr_t)address <= within)
        found = *behind;
    pthread_mutex_unlock(&lock);
    return found;
}

/* An int index that overflowed leads so far. */
static const size_t FAR = (size_t)1 << 30;

void memory_describe(const void *address, char *text, size_t room)
{
    const struct symbol *symbol = symbols_at(address);
    uintptr_t at = (uintptr_t)address;
    struct memory near = symbol ? of_symbol(symbol) : nearest_to((uintptr_t)memory_home(address));
    size_t distance = at < near.begin ? near.begin - at : at - near.begin;

    if (near.size == 0)
        snprintf(text, room, "Nothing is allocated there; has it been freed?");
    else if (at >= near.begin && (symbol || distance < near.size))
        snprintf(text, room, "It touches byte %zu of %s.", distance, in_words(&near));
    else
        snprintf(text, room, "It lies %zu byte%s %s %s%s", distance, distance == 1 ? "" : "s",
                 at < near.begin ? "before" : "past the start of", in_words(&near),
                 distance < FAR ? "."
                                : ":\n  has an int overflowed, or an unsigned index gone below 0?");
}

/* ---- allocating and freeing ---- */

/* Where `size` bytes and a gap fit first; *place is the index in the table to insert at. */
static bool find_gap(size_t size, uintptr_t *begin, size_t *place)
{
    for (size_t i = 0; i <= length; i++) {
        uintptr_t end = i < length ? table[i].home : memory_mapping.begin + memory_mapping.size;
        uintptr_t from = i > 0 ? table[i - 1].home + table[i - 1].size : memory_mapping.begin;
        from = (from + 2 * MEMORY_GRANULE - 1) / MEMORY_GRANULE * MEMORY_GRANULE;
        *begin = from;
        *place = i;
        if (from < end && size < end - from)
            return true;
    }
    return false;
}

/* The addresses of all freed blocks may be given to others. False: there are none. */
static bool forget_freed(void)
{
    size_t kept = 0, before = length;

    for (size_t i = 0; i < before; i++)
        if (table[i].kind != MEMORY_FREED)
            table[kept++] = table[i];
    length = kept;
    freed = 0;
    return kept < before;
}

/* Where it begins; 0: there is no room. */
static uintptr_t insert(struct memory new)
{
    static unsigned allocations; /* so far */
    size_t place;

    while (!find_gap(new.size, &new.home, &place))
        if (!forget_freed())
            return 0;
    array_room((void **)&table, length, &room_of_table, SIZE_MAX, sizeof *table);
    memmove(table + place + 1, table + place, (length++ - place) * sizeof *table);
    new.begin = new.home;
    new.number = ++allocations;
    table[place] = new;
    forget(new.begin, new.size);
    return new.begin;
}

cudaError_t memory_allocate(void **ptr, size_t size, enum memory_kind kind, const void *pc)
{
    if (!ptr)
        return error_set(cudaErrorInvalidValue);
    OBSERVE(range, ptr, sizeof *ptr, true, pc);
    *ptr = NULL;
    if (size == 0)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    memory_shared |= kind != MEMORY_DEVICE && pc;
    if (size < memory_mapping.size)
        *ptr = (void *)insert((struct memory){.kind = kind, .size = size, .made = pc});
    pthread_mutex_unlock(&lock);
    return error_set(*ptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* What is kept about the bytes goes, and what the operating system has for them. */
static void give_back(const struct memory *a)
{
    clear((char *)a->home, (char *)a->home + a->size);
    forget(a->home, a->size);
    OBSERVE(freed, (void *)a->home, a->size);
}

bool memory_free(void *ptr, unsigned kinds, const void *pc)
{
    if (!memory_is_device(ptr))
        return false;
    pthread_mutex_lock(&lock);
    if (freed == MOST_FREED)
        forget_freed();
    struct memory *a = entry_at(ptr);
    bool found = a && a->home == (uintptr_t)ptr && kinds >> a->kind & 1;
    if (found) {
        give_back(a);
        a->kind = MEMORY_FREED;
        a->begin = a->home;
        a->freed = pc;
        freed++;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void memory_register(const void *home, const void *host)
{
    struct memory *a = entry_at(home);

    a->begin = (uintptr_t)host;
    memory_taken(a->size);
}

void simt_forget(const void *ptr)
{
    struct memory memory = memory_at(ptr);

    if (memory_is_device(ptr) && memory_holds(&memory, ptr, 0))
        forget(memory.begin, memory.size);
}

/* ---- names, copies ---- */

void memory_copied(const void *from, size_t bytes)
{
    struct memory *a = entry_at(from);

    if (a)
        a->copied += bytes;
}

static unsigned long long taken;

void memory_taken(size_t bytes)
{
    taken += bytes;
}

unsigned long long simt_taken(void)
{
    return taken;
}

unsigned long long simt_copied(const void *ptr)
{
    const struct memory *a = entry_at(ptr);

    return a ? a->copied : 0;
}

void simt_set_name(const void *ptr, const char *name)
{
    struct memory *a = entry_at(ptr);

    if (a && !(a->name = strdup(name)))
        array_no_memory();
}

const char *memory_array(const void *address, uintptr_t *begin, size_t *size)
{
    struct memory *a = entry_at(address);

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

size_t memory_words(void)
{
    return memory_mapping.size / 4 + (size_t)(__stop_simt_device - __start_simt_device) / 4 + 2;
}

/* Behind those of the mapping come the section's, which begins on some byte: its words shall begin
 * where aligned ones do. */
size_t memory_word(const void *address)
{
    const void *home = symbols_near(address) ? address : memory_home(address);

    if (memory_is_device(home))
        return ((uintptr_t)home - memory_mapping.begin) / 4;
    return memory_mapping.size / 4 + (uintptr_t)address / 4 - (uintptr_t)__start_simt_device / 4;
}

const void *memory_address(size_t word)
{
    size_t mapped = memory_mapping.size / 4;

    return (const void *)(word < mapped ? memory_mapping.begin + 4 * word
                                        : (word - mapped + (uintptr_t)__start_simt_device / 4) * 4);
}
