/* Device memory: one mapping, and a table of allocations, sorted by address.
 *
 * MEMORY_GAP bytes between two allocations stay free, or less where room is short, so that an
 * access past the end of one does not fall into the next.
 *
 * A freed allocation stays in the table, and its addresses are not given to others until there are
 * many freed ones or no room is left: so an access to it is recognised. Its bytes go back to the
 * operating system at once. */
#include "run/memory.h"
#include "run/array.h"
#include "run/end.h"
#include "run/runtime.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the table, for the host's threads */
static struct memory *allocations;                       /* sorted by home */
static size_t allocation_count, allocation_room, freed_count;
static size_t packed;       /* there is no room between so many allocations, the first ones */
enum { MOST_FREED = 1024 }; /* freed allocations that stay in the table */
struct memory_mapping memory_mapping;
static struct memory_mapping around;
size_t memory_allocated;

/* ---- the mapping ---- */

enum { USABLE = PROT_READ | PROT_WRITE };

static void *map(size_t size, int access)
{
    return mmap(NULL, size, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* Address space that each byte of device memory needs, for itself and for the checks; that all else
 * needs, above all stacks; and the smallest device. */
enum { EACH = 112, FOR_ALL_ELSE = 256 << 20, LEAST = 1 << 20 };

/* The device has half of the computer's memory, or less if address space is short. Runs before any
 * code of the program. */
__attribute__((constructor(101))) static void map_device_memory(void)
{
    size_t capacity = (size_t)sysconf(_SC_PHYS_PAGES) / 2 * (size_t)sysconf(_SC_PAGESIZE);
    void *all;

    while ((all = map(capacity * EACH + FOR_ALL_ELSE, USABLE)) == MAP_FAILED && capacity > LEAST)
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
        mprotect(begin += side, capacity, USABLE);
    } else {
        begin = map(capacity, USABLE);
    }
    memory_mapping = (struct memory_mapping){(uintptr_t)begin, capacity};
    memory_bits = map(memory_words() / 2 + 16, USABLE);
}

bool memory_is_near(const void *address)
{
    return (uintptr_t)address - around.begin < around.size;
}

/* Fills [begin, end) with zeros. Whole pages go back to the operating system, which is quick. */
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

/* ---- which bytes were written ---- */

uint64_t *memory_bits;

void memory_mark(uint64_t *bits, size_t byte, size_t size)
{
    for (size_t end = byte + size, count; byte < end; byte += count) {
        count = 64 - byte % 64 < end - byte ? 64 - byte % 64 : end - byte;
        bits[byte / 64] |= ~(uint64_t)0 >> (64 - count) << byte % 64;
    }
}

size_t memory_unwritten(const uint64_t *bits, size_t byte, size_t size, size_t least, size_t *first)
{
    size_t count = 0;

    if (memory_all_written(bits, byte, size))
        return 0;
    for (size_t i = 0, run = 0; i < size; i += run ? run : 1) {
        for (run = 0; i + run < size && !memory_all_written(bits, byte + i + run, 1);)
            run++;
        if (run >= least && count == 0)
            *first = i;
        count += run >= least ? run : 0;
    }
    return count;
}

void memory_write(const void *to, const void *from, size_t size)
{
    size_t byte = (uintptr_t)to - memory_mapping.begin;
    size_t source = (uintptr_t)from - memory_mapping.begin;
    struct memory memory = memory_at(from);

    if (!memory_is_device(to))
        return;
    memory_mark(memory_bits, byte, size);
    if (memory.kind != MEMORY_DEVICE || memory.symbol ||
        memory_all_written(memory_bits, source, size))
        return;
    for (size_t i = 0; i < size; i++)
        if (!memory_all_written(memory_bits, source + i, 1))
            memory_bits[(byte + i) / 64] &= ~((uint64_t)1 << (byte + i) % 64);
}

/* Nobody has written the bytes of the allocation [begin, begin + size) any more. Whole bytes of
 * bits: allocations begin at multiples of far more than 8 bytes, and a gap follows each of them. */
static void forget_written(uintptr_t begin, size_t size)
{
    size_t byte = begin - memory_mapping.begin;

    clear((char *)memory_bits + byte / 8, (char *)memory_bits + (byte + size + 7) / 8);
}

/* ---- the table ---- */

/* The number of allocations whose place begins at the address or in front of it. */
static size_t count_to(uintptr_t address)
{
    size_t low = 0, high = allocation_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (allocations[middle].home <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const void *memory_home(const void *address)
{
    for (size_t i = 0; i < allocation_count && !memory_is_device(address); i++)
        if ((uintptr_t)address - allocations[i].begin < allocations[i].size)
            return (const char *)address - allocations[i].begin + allocations[i].home;
    return address;
}

struct memory *memory_entry(const void *ptr)
{
    const void *home = memory_home(ptr);
    size_t count = memory_is_device(home) ? count_to((uintptr_t)home) : 0;

    return count > 0 ? &allocations[count - 1] : NULL;
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
    const struct memory *a = memory_entry(address);
    if (a && (uintptr_t)address - a->begin < a->size)
        found = *a;
    pthread_mutex_unlock(&lock);
    return found;
}

/* ---- what lies next to an address ---- */

/* The first live allocation from entry i on, in steps of 1 or -1; NULL: there is none. */
static const struct memory *live_from(size_t i, int step)
{
    while (i < allocation_count && allocations[i].kind == MEMORY_FREED)
        i += (size_t)step;
    return i < allocation_count ? &allocations[i] : NULL;
}

struct memory memory_nearest(const void *address)
{
    const struct symbol *symbol = symbols_at(address);
    uintptr_t at = (uintptr_t)memory_home(address);
    struct memory nearest = {.size = 0};

    if (symbol)
        return of_symbol(symbol);
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

/* ---- allocating and freeing ---- */

/* The first free place for `size` bytes and a gap in front of them. *place: the index in the table
 * to insert at. */
static bool find_place(size_t size, size_t gap, uintptr_t *begin, size_t *place)
{
    for (size_t i = packed; i <= allocation_count; i++) {
        uintptr_t end =
            i < allocation_count ? allocations[i].home : memory_mapping.begin + memory_mapping.size;
        uintptr_t from =
            i > 0 ? allocations[i - 1].home + allocations[i - 1].size : memory_mapping.begin;
        from = (from + gap + MEMORY_GRANULE - 1) / MEMORY_GRANULE * MEMORY_GRANULE;
        *begin = from;
        *place = i;
        if (from < end && size < end - from)
            return true;
        packed += i == packed && from >= end;
    }
    packed = 0; /* a smaller gap may find room */
    return false;
}

/* Forgets all freed allocations: others may have their addresses. False: there were none. */
static bool forget_freed(void)
{
    size_t kept = 0, before = allocation_count;

    for (size_t i = 0; i < before; i++)
        if (allocations[i].kind != MEMORY_FREED)
            allocations[kept++] = allocations[i];
    allocation_count = kept;
    freed_count = packed = 0;
    return kept < before;
}

/* From so many allocations on their gaps are smaller: the checks need memory for each huge page. */
enum { MANY = 2048 };

/* Adds an allocation. Returns its begin; 0: there is no room. */
static uintptr_t insert(struct memory new)
{
    static unsigned last_number; /* of an allocation */
    size_t place, gap = allocation_count < MANY ? MEMORY_GAP : MEMORY_GAP / 16;

    while (!find_place(new.size, gap, &new.home, &place))
        if (!forget_freed() && (gap /= 2) < MEMORY_GRANULE)
            return 0;
    struct memory *last = ARRAY_ADD(allocations, allocation_count, allocation_room);
    memmove(allocations + place + 1, allocations + place,
            (size_t)(last - allocations - place) * sizeof *allocations);
    new.begin = new.home;
    new.number = ++last_number;
    memory_allocated += new.size;
    allocations[place] = new;
    forget_written(new.begin, new.size);
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
    symbols_shared_memory |= kind != MEMORY_DEVICE && pc;
    if (size < memory_mapping.size)
        *ptr = (void *)insert((struct memory){.kind = kind, .size = size, .made = pc});
    pthread_mutex_unlock(&lock);
    return error_set(*ptr ? cudaSuccess : cudaErrorMemoryAllocation);
}

bool memory_free(void *ptr, unsigned kinds, const void *pc)
{
    if (!memory_is_device(ptr))
        return false;
    pthread_mutex_lock(&lock);
    if (freed_count == MOST_FREED)
        forget_freed();
    struct memory *a = memory_entry(ptr);
    bool found = a && a->home == (uintptr_t)ptr && kinds >> a->kind & 1;
    if (found) {
        clear((char *)a->home, (char *)a->home + a->size);
        forget_written(a->home, a->size);
        OBSERVE(freed, (void *)a->home, a->size);
        a->kind = MEMORY_FREED;
        a->begin = a->home;
        a->freed = pc;
        freed_count++;
        memory_allocated -= a->size;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void simt_forget(const void *ptr)
{
    struct memory memory = memory_at(ptr);

    if (memory_is_device(ptr) && memory_holds(&memory, ptr, 0))
        forget_written(memory.begin, memory.size);
}

/* ---- words ---- */

size_t memory_words(void)
{
    return memory_mapping.size / 4 + (size_t)(__stop_simt_device - __start_simt_device) / 4 + 2;
}

/* The words of the section follow those of the mapping. The section may begin at any byte, but its
 * words are aligned. */
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
