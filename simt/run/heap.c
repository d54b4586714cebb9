/* The device's heap.
 *
 * Blocks are cut from the stretch one behind the other, so their table is sorted by address. Their
 * room is a power of two, larger than what was asked for. When the stretch is used up, freed ones
 * are handed out again, those first that the same thread or an earlier launch has freed. */
#include "run/heap.h"
#include "run/end.h"
#include "run/error.h"
#include "run/host.h"
#include "run/memory.h"
#include "run/observer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALLEST = 32, GAP = 16, CLASSES = 48, STRETCH_FACTOR = 8, LOOK_AT = 64, NONE = -1 };

/* Who freed a block. */
struct owner {
    unsigned launch, block, thread;
};

struct heap_block {
    size_t start, room, size; /* start: from the stretch's begin */
    bool live;
    struct owner freed_by;
    int next; /* the next of the free ones of this room, or NONE */
};

struct heap_stretch heap_stretch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t limit = 8 << 20;
static size_t live_bytes, stretch_used;
static struct heap_block *table;
static size_t table_length, table_room; /* the length is atomic: blocks are looked up unlocked */
static struct free_list {
    int first, last;
} free_lists[CLASSES];
static bool mixed;

bool heap_is_mixed(void)
{
    return __atomic_load_n(&mixed, __ATOMIC_RELAXED);
}

/* ---- blocks ---- */

static bool begin_heap(void)
{
    size_t most = memory_capacity() / 2,
           size = limit * STRETCH_FACTOR < most ? limit * STRETCH_FACTOR : most;
    void *begin;

    if (heap_stretch.size)
        return true;
    table_room = size / SMALLEST;
    table = calloc(table_room, sizeof *table);
    if (!table || memory_allocate(&begin, size, MEMORY_HEAP, NULL) != cudaSuccess)
        return false;
    for (int i = 0; i < CLASSES; i++)
        free_lists[i] = (struct free_list){NONE, NONE};
    heap_stretch = (struct heap_stretch){(uintptr_t)begin, size};
    return true;
}

/* The last block that begins at or before the address; NULL if there is none. */
static struct heap_block *find_block(uintptr_t address)
{
    size_t offset = address - heap_stretch.begin, low = 0;

    for (size_t high = __atomic_load_n(&table_length, __ATOMIC_ACQUIRE); low < high;) {
        size_t middle = (low + high) / 2;
        if (table[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &table[low - 1] : NULL;
}

bool heap_allows(uintptr_t address, size_t size)
{
    const struct heap_block *block = find_block(address);
    size_t offset = address - heap_stretch.begin;

    return block && __atomic_load_n(&block->live, __ATOMIC_RELAXED) &&
           offset + size <= block->start + block->size;
}

void heap_describe(uintptr_t address, size_t size, char *text, size_t room)
{
    const struct heap_block *block = find_block(address);
    size_t offset = address - heap_stretch.begin;

    if (!block)
        snprintf(text, room, "It lies before all memory from malloc in a kernel.");
    else if (offset < block->start + block->size && !block->live)
        snprintf(text, room, "It lies in freed memory: %zu bytes from malloc in a kernel.",
                 block->size);
    else
        snprintf(text, room, "It touches byte %zu of %zu bytes from malloc in a kernel.",
                 offset + size - 1 - block->start, block->size);
}

static int class_of(size_t room)
{
    return __builtin_ctzll(room);
}

static size_t room_for(size_t size)
{
    size_t room = SMALLEST;
    while (room < size + GAP)
        room *= 2;
    return room;
}

static struct owner owner_of(const struct lane *lane)
{
    return (struct owner){lane->block->launch->number, block_number(lane->block), lane->index};
}

/* May the thread have the block without looking as if it raced with who had it before? */
static bool is_unshared(const struct heap_block *block, struct owner now)
{
    struct owner was = block->freed_by;
    return was.launch != now.launch || (was.block == now.block && was.thread == now.thread);
}

static struct heap_block *take_off(struct free_list *list, int before)
{
    int taken = before == NONE ? list->first : table[before].next;

    if (before == NONE)
        list->first = table[taken].next;
    else
        table[before].next = table[taken].next;
    if (list->last == taken)
        list->last = before;
    return &table[taken];
}

/* A block that was freed before; NULL if none of this room was. */
static struct heap_block *reuse(size_t room, struct owner now)
{
    struct free_list *list = &free_lists[class_of(room)];
    int before = NONE, i = list->first;

    for (int looked = 0; i != NONE && looked < LOOK_AT; looked++) {
        if (is_unshared(&table[i], now))
            return take_off(list, before);
        before = i;
        i = table[i].next;
    }
    if (list->first == NONE)
        return NULL;
    __atomic_store_n(&mixed, true, __ATOMIC_RELAXED);
    end_not_judged("threads freed and allocated more than %d times the device's heap of %zu MiB: "
                   "races in it were not checked (cudaLimitMallocHeapSize sets its size)",
                   STRETCH_FACTOR, limit >> 20);
    return take_off(list, NONE);
}

static struct heap_block *cut_off(size_t room)
{
    if (stretch_used + room > heap_stretch.size || table_length == table_room)
        return NULL;
    struct heap_block *block = &table[table_length];
    *block = (struct heap_block){.start = stretch_used, .room = room};
    stretch_used += room;
    return block;
}

static void *allocate(size_t size, struct owner now)
{
    if (!begin_heap() || size > limit || live_bytes + size > limit)
        return NULL;
    size_t room = room_for(size);
    struct heap_block *block = cut_off(room);
    bool is_new = block != NULL;
    if (!block && !(block = reuse(room, now)))
        return NULL;
    block->size = size;
    block->live = true;
    live_bytes += size;
    if (is_new)
        __atomic_store_n(&table_length, table_length + 1, __ATOMIC_RELEASE);
    return (void *)(heap_stretch.begin + block->start);
}

/* False if no block that is not free begins there. */
static bool release(uintptr_t address, struct owner now)
{
    struct heap_block *block = heap_has(address) ? find_block(address) : NULL;

    if (!block || !block->live || heap_stretch.begin + block->start != address)
        return false;
    struct free_list *list = &free_lists[class_of(block->room)];
    int i = (int)(block - table);
    __atomic_store_n(&block->live, false, __ATOMIC_RELAXED);
    block->freed_by = now;
    block->next = NONE;
    live_bytes -= block->size;
    if (list->first == NONE)
        list->first = i;
    else
        table[list->last].next = i;
    list->last = i;
    return true;
}

/* ---- what programs call: in kernels, and on the host, where the C library serves ---- */

static void *lane_malloc(size_t size)
{
    pthread_mutex_lock(&lock);
    void *ptr = allocate(size, owner_of(simt_current_lane));
    pthread_mutex_unlock(&lock);
    return ptr;
}

static void lane_free(void *ptr, const void *pc)
{
    if (!ptr)
        return;
    pthread_mutex_lock(&lock);
    bool done = release((uintptr_t)ptr, owner_of(simt_current_lane));
    pthread_mutex_unlock(&lock);
    if (!done)
        simt_observer.stray_free(ptr, pc);
}

/* The host frees the device's memory: true, and the observer is told. */
static bool is_stray_on_host(void *ptr, const void *pc)
{
    if (!memory_is_device(ptr))
        return false;
    simt_observer.stray_free(ptr, pc);
    return true;
}

void *simt_malloc(size_t size)
{
    return simt_current_lane ? lane_malloc(size) : host_allocated(malloc(size), size);
}

/* The device has none of these two. */
void *simt_calloc(size_t count, size_t size)
{
    return host_allocated(calloc(count, size), count * size);
}

void *simt_realloc(void *ptr, size_t size)
{
    return host_allocated(realloc(ptr, size), size);
}

void simt_free(void *ptr)
{
    if (simt_current_lane)
        lane_free(ptr, __builtin_return_address(0));
    else if (!is_stray_on_host(ptr, __builtin_return_address(0)))
        free(ptr);
}

/* operator new and delete of the C++ library, or of the program. */
void *_Znwm(size_t size) __attribute__((weak));
void *_Znam(size_t size) __attribute__((weak));
void _ZdlPv(void *ptr) __attribute__((weak));
void _ZdaPv(void *ptr) __attribute__((weak));

/* The program's code lies between these. */
extern char simt_text_before[] __attribute__((weak)), simt_text_after[] __attribute__((weak));

/* Of a program's own operator new nobody knows what it hands out, and when it has it back. */
static void *new_on_host(void *(*new)(size_t), size_t size)
{
    const char *code = (const char *)(uintptr_t) new;
    bool own = code >= simt_text_before && code < simt_text_after;

    return own ? new (size) : host_allocated(new (size), size);
}

void *simt_new(size_t size)
{
    return simt_current_lane ? lane_malloc(size) : new_on_host(_Znwm, size);
}

void *simt_new_array(size_t size)
{
    return simt_current_lane ? lane_malloc(size) : new_on_host(_Znam, size);
}

void simt_delete(void *ptr)
{
    if (simt_current_lane)
        lane_free(ptr, __builtin_return_address(0));
    else if (!is_stray_on_host(ptr, __builtin_return_address(0)))
        _ZdlPv(ptr);
}

void simt_delete_array(void *ptr)
{
    if (simt_current_lane)
        lane_free(ptr, __builtin_return_address(0));
    else if (!is_stray_on_host(ptr, __builtin_return_address(0)))
        _ZdaPv(ptr);
}

/* ---- limits: of all there are the heap's counts here ---- */

cudaError_t cudaDeviceSetLimit(enum cudaLimit which, size_t value)
{
    if ((unsigned)which > cudaLimitPersistingL2CacheSize)
        return error_set(cudaErrorInvalidValue);
    if (which != cudaLimitMallocHeapSize)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    bool possible = !heap_stretch.size && value <= memory_capacity() / 2;
    if (possible)
        limit = value;
    pthread_mutex_unlock(&lock);
    return error_set(possible ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit which)
{
    if (!value || (unsigned)which > cudaLimitPersistingL2CacheSize)
        return error_set(cudaErrorInvalidValue);
    *value = which == cudaLimitMallocHeapSize   ? limit
             : which == cudaLimitStackSize      ? FIBER_STACK_BYTES
             : which == cudaLimitPrintfFifoSize ? 1 << 20
                                                : 0;
    return cudaSuccess;
}
