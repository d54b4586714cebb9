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

struct allocation {
    struct memory is;
    unsigned number;           /* 1 for the program's first */
    unsigned long long copied; /* bytes that copies have read from it */
};

/* The region of __device__ variables. */
extern char __start_simt_device[] __attribute__((weak));
extern char __stop_simt_device[] __attribute__((weak));

/* So many freed blocks stay in the table at most. */
enum { MOST_FREED = 1024 };
static unsigned freed;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the table: the host has threads */
static struct allocation *table;
static size_t length, room_of_table;
struct memory_mapping memory_mapping, memory_watched;
uint64_t *written_bits;

/* ---- the mapping ---- */

static void *map_bytes(size_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                0);
}

/* Address space for each byte of device memory: of it and what the checks keep (judge/word.h), or
 * of it and what the host keeps; for all else, stacks above all; the least that a device has. */
enum { WITH_CHECKS = 112, WITHOUT = 3, FOR_ALL_ELSE = 256 << 20, LEAST = 1 << 20 };

/* Half of the computer's memory, or as much less as there is address space for. Before anything of
 * the program runs. */
__attribute__((constructor(101))) static void map_device_memory(void)
{
    const char *checks = getenv("SIMT_CHECKS");
    size_t each = checks && strcmp(checks, "off") == 0 ? WITHOUT : WITH_CHECKS;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size;
    size_t capacity = (size_t)sysconf(_SC_PHYS_PAGES) / 2 * page;
    void *all;

    do {
        size = capacity * each + FOR_ALL_ELSE;
        all = map_bytes(size);
    } while (all == MAP_FAILED && (capacity -= capacity / 8 / page * page) >= LEAST);
    if (all == MAP_FAILED)
        end_fatal("no address space: want %zu MiB at least (ulimit -v?)",
                  (LEAST * each + FOR_ALL_ELSE) >> 20);
    munmap(all, size);
    memory_mapping.begin = (uintptr_t)map_bytes(capacity);
    memory_mapping.size = capacity;
    memory_watched = memory_mapping;
    written_bits = map_bytes(memory_words() / 2 + 16);
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

void memory_written(const void *address, size_t size)
{
    if (memory_is_device(address))
        written_mark(written_bits, (uintptr_t)address - memory_mapping.begin, size);
}

/* Nobody has written there. Allocations begin at multiples of far more than 8 bytes, with a gap
 * behind each. */
static void forget(uintptr_t begin, size_t size)
{
    size_t byte = begin - memory_mapping.begin;

    clear((char *)written_bits + byte / 8, (char *)written_bits + (byte + size + 7) / 8);
}

/* ---- the table ---- */

/* Allocations that begin at the address or before it. */
static size_t count_to(uintptr_t address)
{
    size_t low = 0, high = length;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table[middle].is.begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The table's own entry of what begins there or last before; NULL: nothing does. */
static struct allocation *entry_at(const void *ptr)
{
    size_t count = memory_is_device(ptr) ? count_to((uintptr_t)ptr) : 0;

    return count > 0 ? &table[count - 1] : NULL;
}

struct memory memory_at(const void *address)
{
    const struct symbol *symbol = symbols_at(address);
    struct memory found = {.kind = MEMORY_NONE};
    uintptr_t end;

    if (symbol && symbol_holds(symbol, address, 1))
        return (struct memory){.kind = symbol->managed ? MEMORY_MANAGED : MEMORY_DEVICE,
                               .begin = symbol->begin,
                               .size = symbol->size,
                               .symbol = symbol};
    if (registered_range(address, &found.begin, &end)) {
        found.kind = MEMORY_PINNED;
        found.size = end - found.begin;
    }
    pthread_mutex_lock(&lock);
    const struct allocation *a = entry_at(address);
    if (a && (uintptr_t)address - a->is.begin < a->is.size && a->is.kind != MEMORY_SHADOW)
        found = a->is;
    pthread_mutex_unlock(&lock);
    return found;
}

bool memory_allocation(const void *address, uintptr_t *begin, uintptr_t *end)
{
    struct memory memory = memory_at(address);

    *begin = memory.begin;
    *end = memory.begin + memory.size;
    return !memory.symbol && memory_holds(&memory, address, 1);
}

bool memory_is_managed(const void *address)
{
    pthread_mutex_lock(&lock);
    const struct allocation *a = entry_at(address);
    bool is = a && (a->is.kind == MEMORY_MANAGED || a->is.kind == MEMORY_PINNED);
    pthread_mutex_unlock(&lock);
    return is;
}

static size_t sum_of(unsigned kinds)
{
    size_t sum = 0;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < length; i++)
        sum += kinds >> table[i].is.kind & 1 ? table[i].is.size : 0;
    pthread_mutex_unlock(&lock);
    return sum;
}

size_t memory_allocated(void)
{
    return sum_of(~0u);
}

size_t memory_of_device(void)
{
    return sum_of(1u << MEMORY_DEVICE | 1u << MEMORY_MANAGED);
}

/* ---- where an address lies, in words ---- */

/* An allocation in words, with the name that the program gave it; the next call overwrites them. */
static const char *in_words(const char *name, size_t size)
{
    static char text[128];

    if (name && !isdigit((unsigned char)*name)) /* else traces number it */
        snprintf(text, sizeof text, "%.64s, an array of %zu bytes", name, size);
    else
        snprintf(text, sizeof text, "an allocation of %zu bytes", size);
    return text;
}

void memory_describe_read(const void *address, char *text, size_t room)
{
    struct memory memory = memory_at(address);

    text[0] = '\0';
    if (memory.kind == MEMORY_DEVICE && !memory.symbol)
        snprintf(text, room, "It reads byte %zu of %s.", (uintptr_t)address - memory.begin,
                 in_words(memory.name, memory.size));
}

/* The live allocation nearest to entry i, itself or further in steps of 1 or -1; NULL: none. */
static const struct allocation *live_from(size_t i, int step)
{
    while (i < length && table[i].is.kind == MEMORY_FREED)
        i += (size_t)step;
    return i < length ? &table[i] : NULL;
}

void memory_describe(const void *address, char *text, size_t room)
{
    uintptr_t at = (uintptr_t)address;

    pthread_mutex_lock(&lock);
    size_t count = count_to(at);
    const struct allocation *before = live_from(count - 1, -1), *behind = live_from(count, 1);
    if (behind && behind->is.begin - at <= MEMORY_GRANULE)
        snprintf(text, room, "It lies %zu byte%s before %s.", behind->is.begin - at,
                 behind->is.begin - at == 1 ? "" : "s", in_words(behind->is.name, behind->is.size));
    else if (before)
        snprintf(text, room, "It lies %zu byte%s past the start of %s.", at - before->is.begin,
                 at - before->is.begin == 1 ? "" : "s", in_words(before->is.name, before->is.size));
    else
        snprintf(text, room, "Nothing is allocated there; has it been freed?");
    pthread_mutex_unlock(&lock);
}

/* ---- allocating and freeing ---- */

/* Where `size` bytes and a gap fit first; *place is the index in the table to insert at. */
static bool find_gap(size_t size, uintptr_t *begin, size_t *place)
{
    uintptr_t from = memory_mapping.begin + MEMORY_GRANULE; /* something is in front of the first */

    for (size_t i = 0; i <= length; i++) {
        uintptr_t end = i < length ? table[i].is.begin : memory_mapping.begin + memory_mapping.size;
        if (from < end && size < end - from) {
            *begin = from;
            *place = i;
            return true;
        }
        if (i < length)
            from = (table[i].is.begin + table[i].is.size + 2 * MEMORY_GRANULE - 1) /
                   MEMORY_GRANULE * MEMORY_GRANULE;
    }
    return false;
}

/* The addresses of all freed blocks may be given to others. False: there are none. */
static bool forget_freed(void)
{
    size_t kept = 0, before = length;

    for (size_t i = 0; i < before; i++)
        if (table[i].is.kind != MEMORY_FREED)
            table[kept++] = table[i];
    length = kept;
    freed = 0;
    return kept < before;
}

/* Where it begins; 0: there is no room. */
static uintptr_t insert(struct allocation new)
{
    static unsigned allocations; /* so far */
    size_t place;

    while (!find_gap(new.is.size, &new.is.begin, &place))
        if (!forget_freed())
            return 0;
    array_room((void **)&table, length, &room_of_table, SIZE_MAX, sizeof *table);
    memmove(table + place + 1, table + place, (length++ - place) * sizeof *table);
    new.number = ++allocations;
    table[place] = new;
    forget(new.is.begin, new.is.size);
    return new.is.begin;
}

cudaError_t memory_allocate(void **ptr, size_t size, enum memory_kind kind, const void *pc)
{
    if (!ptr)
        return error_set(cudaErrorInvalidValue);
    *ptr = NULL;
    if (size == 0)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    if (size < memory_mapping.size)
        *ptr = (void *)insert((struct allocation){.is = {.size = size, .kind = kind, .made = pc}});
    pthread_mutex_unlock(&lock);
    return error_set(*ptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* What is kept about the bytes goes, and what the operating system has for them. */
static void give_back(const struct allocation *a)
{
    clear((char *)a->is.begin, (char *)a->is.begin + a->is.size);
    forget(a->is.begin, a->is.size);
    OBSERVE(freed, (void *)a->is.begin, a->is.size);
}

bool memory_free(void *ptr, unsigned kinds, const void *pc)
{
    if (!memory_is_device(ptr))
        return false;
    pthread_mutex_lock(&lock);
    if (freed == MOST_FREED)
        forget_freed();
    struct allocation *a = entry_at(ptr);
    bool found = a && a->is.begin == (uintptr_t)ptr && kinds >> a->is.kind & 1;
    if (found) {
        give_back(a);
        a->is.kind = MEMORY_FREED;
        a->is.freed = pc;
        freed++;
    }
    pthread_mutex_unlock(&lock);
    return found;
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
    struct allocation *a = entry_at(from);

    if (a)
        a->copied += bytes;
}

unsigned long long simt_copied(const void *ptr)
{
    const struct allocation *a = entry_at(ptr);

    return a ? a->copied : 0;
}

static const char *name_of(struct allocation *a, const char *name)
{
    if (name && !(a->is.name = strdup(name)))
        end_fatal("no memory for the names of arrays");
    return a->is.name;
}

void simt_set_name(const void *ptr, const char *name)
{
    struct allocation *a = entry_at(ptr);

    if (a)
        name_of(a, name);
}

const char *memory_array(const void *address, uintptr_t *begin, size_t *size)
{
    const void *at = memory_is_device(address) ? address : registered_shadow(address);
    struct allocation *a = at ? entry_at(at) : NULL;
    char digits[16];

    if (memory_at(address).symbol) {
        *begin = (uintptr_t)__start_simt_device / 32 * 32;
        *size = (size_t)((uintptr_t)__stop_simt_device - *begin);
        return "__device__";
    }
    if (!a)
        return NULL;
    uintptr_t end = a->is.begin + a->is.size;
    *begin = a->is.begin;
    if (at != address && registered_range(address, begin, &end))
        *begin = *begin / 32 * 32;
    *size = end - *begin;
    snprintf(digits, sizeof digits, "%u", a->number);
    return name_of(a, a->is.name ? NULL : digits);
}

size_t memory_words(void)
{
    return memory_mapping.size / 4 + (size_t)(__stop_simt_device - __start_simt_device) / 4 + 2;
}

/* Behind those of the mapping come the section's, which begins on some byte: its words shall begin
 * where aligned ones do. */
size_t memory_word(const void *address)
{
    const void *at = memory_is_device(address) ? address : registered_shadow(address);

    if (at)
        return ((uintptr_t)at - memory_mapping.begin) / 4;
    return memory_mapping.size / 4 + (uintptr_t)address / 4 - (uintptr_t)__start_simt_device / 4;
}

const void *memory_address(size_t word)
{
    size_t mapped = memory_mapping.size / 4;

    return (const void *)(word < mapped ? memory_mapping.begin + 4 * word
                                        : (word - mapped + (uintptr_t)__start_simt_device / 4) * 4);
}
