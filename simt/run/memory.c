/* Device memory: one mapping of which the operating system commits what is touched, and CUDA's
 * calls that allocate it.
 *
 * Allocations are kept in a table sorted by address. Between two of them at least GRANULE bytes
 * stay free, so that an access past the end of one never falls into the next.
 *
 * A freed block stays in the table: nobody gets its addresses before there are many such blocks, or
 * no others, so that who uses it still is seen. Its bytes go back to the operating system at once.
 */
#define _GNU_SOURCE
#include "run/memory.h"
#include "run/stream.h"
#include "run/end.h"
#include "run/error.h"
#include "run/observer.h"
#include "run/symbols.h"
#include "run/written.h"
#include "simt.h"

#include <ctype.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRANULE = 512 };

struct allocation {
    size_t start, size; /* bytes from the mapping's begin */
    enum memory_kind kind;
    unsigned number;           /* 1 for the program's first */
    const char *name;          /* for traces; NULL: nobody has asked for it yet. Kept for good */
    const void *made;          /* where: the call's return address */
    const void *freed;         /* the same, of MEMORY_FREED */
    unsigned long long copied; /* bytes that copies have read from it */
    uintptr_t host;            /* of MEMORY_SHADOW: where the registered memory begins */
};

/* So many freed blocks stay in the table at most. */
enum { MOST_FREED = 1024 };
static unsigned freed;
static unsigned registered; /* allocations that are MEMORY_SHADOW */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the table */
static pthread_once_t once = PTHREAD_ONCE_INIT;
struct memory_mapping memory_mapping, memory_watched;
static char *mapping;
static size_t capacity;
static struct allocation *table;
static size_t table_length, table_room;
static unsigned allocations; /* so far */

static void *map_bytes(size_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                0);
}

/* Address space for each byte of device memory: of it and what the checks keep (judge/word.h), or
 * of it and what the host keeps; for all else, stacks above all; the least that a device has. */
enum { WITH_CHECKS = 112, WITHOUT = 3, FOR_ALL_ELSE = 256 << 20, LEAST = 1 << 20 };

/* Half of the computer's memory, or as much less as there is address space for. */
static void map_device_memory(void)
{
    const char *checks = getenv("SIMT_CHECKS");
    size_t each = checks && strcmp(checks, "off") == 0 ? WITHOUT : WITH_CHECKS;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), half = (size_t)sysconf(_SC_PHYS_PAGES) / 2 * page;
    size_t size;
    void *all;

    capacity = half;
    do {
        size = capacity * each + FOR_ALL_ELSE;
        all = map_bytes(size);
    } while (all == MAP_FAILED && (capacity -= capacity / 8 / page * page) >= LEAST);
    if (all == MAP_FAILED)
        end_fatal("no address space: want %zu MiB at least (ulimit -v?)",
                  (LEAST * each + FOR_ALL_ELSE) >> 20);
    munmap(all, size);
    mapping = map_bytes(capacity);
    memory_mapping = memory_watched = (struct memory_mapping){(uintptr_t)mapping, capacity};
}

size_t memory_capacity(void)
{
    pthread_once(&once, map_device_memory);
    return capacity;
}

/* Index of the last allocation that starts at or before offset; table_length if there is none. */
static size_t find_allocation(size_t offset)
{
    size_t low = 0, high = table_length;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : table_length;
}

/* What begins at the address or last before it; of MEMORY_NONE, if nothing does. */
static struct allocation allocation_at(const void *address)
{
    struct allocation found = {.kind = MEMORY_NONE};

    if (!memory_is_device(address))
        return found;
    pthread_mutex_lock(&lock);
    size_t i = find_allocation((size_t)((const char *)address - mapping));
    if (i < table_length)
        found = table[i];
    pthread_mutex_unlock(&lock);
    return found;
}

/* How many bytes of registered memory a shadow stands for. It has a granule more, so that both
 * begin at the same place of one. */
static size_t registered_size(const struct allocation *shadow)
{
    return shadow->size - GRANULE;
}

/* What stands for registered memory that overlaps [begin, end); else of MEMORY_NONE. */
static struct allocation shadow_of(uintptr_t begin, uintptr_t end)
{
    struct allocation found = {.kind = MEMORY_NONE};

    if (registered == 0)
        return found;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < table_length; i++)
        if (table[i].kind == MEMORY_SHADOW && table[i].host < end &&
            table[i].host + registered_size(&table[i]) > begin)
            found = table[i];
    pthread_mutex_unlock(&lock);
    return found;
}

const void *registered_shadow(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    struct allocation shadow = shadow_of(at, at + 1);

    if (shadow.kind == MEMORY_NONE)
        return NULL;
    return mapping + shadow.start + (at - shadow.host / GRANULE * GRANULE);
}

bool memory_allocation(const void *address, uintptr_t *begin, uintptr_t *end)
{
    uintptr_t at = (uintptr_t)address;
    bool device = memory_is_device(address);
    struct allocation a = device ? allocation_at(address) : shadow_of(at, at + 1);

    if (a.kind == MEMORY_NONE || a.kind == MEMORY_FREED || (device && a.kind == MEMORY_SHADOW))
        return false;
    *begin = device ? (uintptr_t)mapping + a.start : a.host;
    *end = *begin + (device ? a.size : registered_size(&a));
    return at < *end;
}

bool memory_is_allocated(const void *address, size_t size)
{
    uintptr_t begin, end;
    return memory_allocation(address, &begin, &end) && size <= end - (uintptr_t)address;
}

enum memory_kind memory_kind_of(const void *address)
{
    return allocation_at(address).kind;
}

bool memory_is_managed(const void *address)
{
    enum memory_kind kind = memory_kind_of(address);

    return kind == MEMORY_MANAGED || kind == MEMORY_PINNED;
}

/* The live allocation nearest to index i, itself or further in steps of 1 or -1; NULL: none. */
static const struct allocation *live_from(size_t i, int step)
{
    while (i < table_length && table[i].kind == MEMORY_FREED)
        i += (size_t)step;
    return i < table_length ? &table[i] : NULL;
}

/* An allocation in words, with the name that the program gave it; the next call overwrites them. */
static const char *in_words(const struct allocation *a)
{
    static char text[128];

    if (a->name && !isdigit((unsigned char)*a->name)) /* else traces number it */
        snprintf(text, sizeof text, "%.64s, an array of %zu bytes", a->name, a->size);
    else
        snprintf(text, sizeof text, "an allocation of %zu bytes", a->size);
    return text;
}

void memory_describe_read(const void *address, char *text, size_t room)
{
    struct allocation a = allocation_at(address);
    size_t byte = (size_t)((const char *)address - mapping) - a.start;

    text[0] = '\0';
    if (a.kind == MEMORY_DEVICE && byte < a.size)
        snprintf(text, room, "It reads byte %zu of %s.", byte, in_words(&a));
}

void memory_describe(const void *address, char *text, size_t room)
{
    size_t offset = (size_t)((const char *)address - mapping);

    text[0] = '\0';
    pthread_mutex_lock(&lock);
    size_t i = find_allocation(offset);
    const struct allocation *before = live_from(i, -1);
    const struct allocation *behind = live_from(i < table_length ? i + 1 : 0, 1);
    if (behind && behind->start - offset <= GRANULE)
        snprintf(text, room, "It lies %zu byte%s before %s.", behind->start - offset,
                 behind->start - offset == 1 ? "" : "s", in_words(behind));
    else if (before)
        snprintf(text, room, "It lies %zu byte%s past the start of %s.", offset - before->start,
                 offset - before->start == 1 ? "" : "s", in_words(before));
    else
        snprintf(text, room, "Nothing is allocated there; has it been freed?");
    pthread_mutex_unlock(&lock);
}

bool memory_freed(const void *address, struct memory_freed *found)
{
    struct allocation a = allocation_at(address);
    size_t offset = (size_t)((const char *)address - mapping) - a.start;

    *found = (struct memory_freed){offset, a.size, a.number, a.made, a.freed};
    return a.kind == MEMORY_FREED && offset < a.size;
}

/* Where `size` bytes and a gap fit first; *place is the index in the table to insert at. */
static bool find_gap(size_t size, size_t *start, size_t *place)
{
    size_t begin = GRANULE; /* so that there is something in front of the first */
    for (size_t i = 0; i <= table_length; i++) {
        size_t end = i < table_length ? table[i].start : capacity;
        if (begin < end && size < end - begin) {
            *start = begin;
            *place = i;
            return true;
        }
        if (i < table_length)
            begin = (table[i].start + table[i].size + 2 * GRANULE - 1) / GRANULE * GRANULE;
    }
    return false;
}

/* The addresses of all freed blocks may be given to others. False: there are none. */
static bool forget_freed(void)
{
    size_t kept = 0, before = table_length;

    for (size_t i = 0; i < before; i++)
        if (table[i].kind != MEMORY_FREED)
            table[kept++] = table[i];
    table_length = kept;
    freed = 0;
    return kept < before;
}

static cudaError_t insert_allocation(size_t size, enum memory_kind kind, const void *made,
                                     size_t *start)
{
    size_t place;

    while (!find_gap(size, start, &place))
        if (!forget_freed())
            return cudaErrorMemoryAllocation;
    if (table_length == table_room) {
        size_t room = table_room ? 2 * table_room : 64;
        struct allocation *larger = realloc(table, room * sizeof *larger);
        if (!larger)
            return cudaErrorMemoryAllocation;
        table = larger;
        table_room = room;
    }
    memmove(table + place + 1, table + place, (table_length - place) * sizeof *table);
    table[place] = (struct allocation){
        .start = *start, .size = size, .kind = kind, .number = ++allocations, .made = made};
    table_length++;
    return cudaSuccess;
}

/* In the mapping, byte after byte is numbered (run/written.h). */
static void forget(size_t start, size_t size)
{
    written_begin(4 * memory_words());
    written_forget(start, size);
}

void memory_written(const void *address, size_t size)
{
    if (memory_is_device(address))
        written_mark((size_t)((const char *)address - mapping), size);
}

void simt_forget(const void *ptr)
{
    uintptr_t begin, end;

    if (memory_is_device(ptr) && memory_allocation(ptr, &begin, &end))
        forget(begin - (uintptr_t)mapping, end - begin);
}

cudaError_t memory_allocate(void **ptr, size_t size, enum memory_kind kind, const void *pc)
{
    size_t start = 0;

    if (!ptr)
        return error_set(cudaErrorInvalidValue);
    *ptr = NULL;
    if (size == 0)
        return cudaSuccess;
    if (size >= memory_capacity())
        return error_set(cudaErrorMemoryAllocation);
    pthread_mutex_lock(&lock);
    cudaError_t error = insert_allocation(size, kind, pc, &start);
    if (error == cudaSuccess) {
        *ptr = mapping + start;
        forget(start, size);
    }
    pthread_mutex_unlock(&lock);
    return error_set(error);
}

cudaError_t cudaMalloc(void **ptr, size_t size)
{
    return memory_allocate(ptr, size, MEMORY_DEVICE, __builtin_return_address(0));
}

cudaError_t cudaMallocManaged(void **ptr, size_t size, unsigned flags)
{
    (void)flags;
    return memory_allocate(ptr, size, MEMORY_MANAGED, __builtin_return_address(0));
}

/* Gives back what the operating system has for the block, and what is kept about its bytes. */
static void give_back(size_t start, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t first = (start + page - 1) / page * page, end = (start + size) / page * page;

    if (first < end)
        madvise(mapping + first, end - first, MADV_DONTNEED);
    forget(start, size);
    OBSERVE(freed, mapping + start, size);
}

static cudaError_t free_allocation(size_t start, unsigned kinds, const void *pc)
{
    if (freed == MOST_FREED)
        forget_freed();
    size_t i = find_allocation(start);

    if (i == table_length || table[i].start != start || !(kinds >> table[i].kind & 1))
        return cudaErrorInvalidValue;
    give_back(start, table[i].size);
    registered -= table[i].kind == MEMORY_SHADOW;
    table[i].kind = MEMORY_FREED;
    table[i].freed = pc;
    freed++;
    return cudaSuccess;
}

/* Keeps why `call` does not free ptr. */
static void refuse_free(const void *ptr, const char *call, const void *pc)
{
    struct complaint refusal = {.kind = FINDING_REFUSED_POINTER, .pc = pc};
    struct memory_freed gone;
    uintptr_t begin, end;

    if (memory_freed(ptr, &gone)) {
        refusal.freed = gone.freed;
        error_refuse(refusal, "It lies %zu bytes into freed memory of %zu bytes", gone.start,
                     gone.size);
    } else if (memory_is_device(ptr) && memory_allocation(ptr, &begin, &end) &&
               (uintptr_t)ptr > begin) {
        error_refuse(refusal, "It lies %zu bytes past the start of an allocation of %zu bytes.",
                     (size_t)((uintptr_t)ptr - begin), (size_t)(end - begin));
    } else {
        error_refuse(refusal, "%s does not free such memory.", call);
    }
}

cudaError_t memory_free(void *ptr, unsigned kinds, const char *call, const void *pc)
{
    cudaError_t error = cudaErrorInvalidValue;

    if (!ptr)
        return cudaSuccess;
    if (memory_is_device(ptr)) {
        async_wait();
        pthread_mutex_lock(&lock);
        error = free_allocation((size_t)((char *)ptr - mapping), kinds, pc);
        pthread_mutex_unlock(&lock);
    }
    if (error != cudaSuccess)
        refuse_free(ptr, call, pc);
    return error_set(error);
}

cudaError_t cudaFree(void *ptr)
{
    return memory_free(ptr, 1u << MEMORY_DEVICE | 1u << MEMORY_MANAGED, "cudaFree",
                       __builtin_return_address(0));
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    *total_bytes = memory_capacity();
    *free_bytes = *total_bytes;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < table_length; i++)
        if (table[i].kind == MEMORY_DEVICE || table[i].kind == MEMORY_MANAGED)
            *free_bytes -= table[i].size;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

size_t memory_allocated(void)
{
    size_t sum = 0;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < table_length; i++)
        sum += table[i].size;
    pthread_mutex_unlock(&lock);
    return sum;
}

/* ---- __device__, __constant__ and __managed__ variables ---- */

extern char __stop_simt_device[] __attribute__((weak));
extern char __start_simt_device[] __attribute__((weak));

bool memory_is_constant(const void *address)
{
    const struct symbol *symbol = symbols_near(address) ? symbols_at(address) : NULL;
    return symbol && symbol->constant;
}

bool memory_is_symbol(const void *address, size_t size)
{
    const struct symbol *symbol = symbols_near(address) ? symbols_at(address) : NULL;
    return symbol && symbol_holds(symbol, address, size);
}

/* ---- names, copies ---- */

/* The table's own entry, or NULL. */
static struct allocation *entry_at(const void *ptr)
{
    size_t i = memory_is_device(ptr) ? find_allocation((size_t)((const char *)ptr - mapping))
                                     : table_length;
    return i < table_length ? &table[i] : NULL;
}

void memory_copied(const void *from, size_t bytes)
{
    struct allocation *a = entry_at(from);

    if (a)
        a->copied += bytes;
}

unsigned long long simt_copied(const void *ptr)
{
    return allocation_at(ptr).copied;
}

void simt_set_name(const void *ptr, const char *name)
{
    struct allocation *a = entry_at(ptr);

    if (a)
        a->name = strdup(name);
}

static const char *name_of(struct allocation *a)
{
    char digits[16];

    snprintf(digits, sizeof digits, "%u", a->number);
    if (!a->name && !(a->name = strdup(digits)))
        end_fatal("no memory for the names of arrays");
    return a->name;
}

const char *memory_array(const void *address, uintptr_t *begin, size_t *size)
{
    const void *at = memory_is_device(address) ? address : registered_shadow(address);
    struct allocation *a;

    if (memory_is_symbol(address, 1)) {
        *begin = (uintptr_t)__start_simt_device / 32 * 32;
        *size = (size_t)((uintptr_t)__stop_simt_device - *begin);
        return "__device__";
    }
    if (!at || !(a = entry_at(at)))
        return NULL;
    bool is_shadow = a->kind == MEMORY_SHADOW;
    *begin = is_shadow ? a->host / 32 * 32 : (uintptr_t)mapping + a->start;
    *size = is_shadow ? a->host + registered_size(a) - *begin : a->size;
    return name_of(a);
}

size_t memory_words(void)
{
    return memory_capacity() / 4 + (size_t)(__stop_simt_device - __start_simt_device) / 4 + 2;
}

size_t memory_word(const void *address)
{
    const void *at = memory_is_device(address) ? address : registered_shadow(address);

    if (at)
        return (size_t)((const char *)at - mapping) / 4;
    /* the section begins on some byte; its words shall begin where aligned ones do */
    return capacity / 4 + (uintptr_t)address / 4 - (uintptr_t)__start_simt_device / 4;
}

const void *memory_address(size_t word)
{
    if (word < capacity / 4)
        return mapping + 4 * word;
    return (const char *)((word - capacity / 4 + (uintptr_t)__start_simt_device / 4) * 4);
}

/* ---- host memory that kernels may use: pinned, and what the program registers ---- */

enum { KNOWN_FLAGS = 15 };

cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned flags)
{
    if (flags > KNOWN_FLAGS)
        return error_set(cudaErrorInvalidValue);
    return memory_allocate(ptr, size, MEMORY_PINNED, __builtin_return_address(0));
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    return memory_allocate(ptr, size, MEMORY_PINNED, __builtin_return_address(0));
}

cudaError_t cudaFreeHost(void *ptr)
{
    return memory_free(ptr, 1u << MEMORY_PINNED, "cudaFreeHost", __builtin_return_address(0));
}

/* The hooks look at the host's accesses to it, too, and to all that lies between. */
static void watch(uintptr_t begin, uintptr_t end)
{
    struct memory_mapping *watched = &memory_watched;

    if (begin < watched->begin) {
        watched->size += watched->begin - begin;
        watched->begin = begin;
    }
    if (end > watched->begin + watched->size)
        watched->size = end - watched->begin;
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned flags)
{
    uintptr_t begin = (uintptr_t)ptr, end = begin + size;
    const void *pc = __builtin_return_address(0);
    void *shadow;

    if (!ptr || size == 0 || flags > KNOWN_FLAGS)
        return error_set(cudaErrorInvalidValue);
    if (memory_is_device(ptr) || memory_is_symbol(ptr, 1) ||
        shadow_of(begin, end).kind != MEMORY_NONE)
        return error_set(cudaErrorHostMemoryAlreadyRegistered);
    if (memory_allocate(&shadow, size + GRANULE, MEMORY_SHADOW, pc) != cudaSuccess)
        return cudaErrorMemoryAllocation;
    entry_at(shadow)->host = begin;
    registered++;
    watch(begin, end);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *ptr)
{
    uintptr_t begin = (uintptr_t)ptr;
    struct allocation shadow = shadow_of(begin, begin + 1);

    if (shadow.kind == MEMORY_NONE || shadow.host != begin)
        return error_set(cudaErrorHostMemoryNotRegistered);
    return memory_free(mapping + shadow.start, 1u << MEMORY_SHADOW, "cudaHostUnregister",
                       __builtin_return_address(0));
}

/* Host and device have one address space: it is the same pointer. */
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    if (!device || flags != 0)
        return error_set(cudaErrorInvalidValue);
    *device = NULL;
    if (memory_kind_of(host) != MEMORY_PINNED && !registered_shadow(host))
        return error_set(cudaErrorInvalidValue);
    *device = host;
    return cudaSuccess;
}
