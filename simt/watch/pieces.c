/* Accesses of structures, and by memcpy and the like: they go by the pieces in which nvcc's code
 * copies. */
#include "watch/hooks.h"
#include "watch/space.h"

/* g++'s hooks tell the size of a copy, and not the type: so the program has a record of each of its
 * structures (compile/calls.c). */
struct layout {
    unsigned size, alignment;
};
extern const struct layout __start_simt_layouts[] __attribute__((weak));
extern const struct layout __stop_simt_layouts[] __attribute__((weak));

enum { PIECE_BYTES = 4, MOST_PIECE_BYTES = 16 };

/* The largest alignment up to `most` of the program's types of this size; 0: there are none. */
static unsigned alignment_of(size_t size, unsigned most)
{
    unsigned largest = 0;

    for (const struct layout *l = __start_simt_layouts; l < __stop_simt_layouts; l++) {
        unsigned alignment = l->alignment < MOST_PIECE_BYTES ? l->alignment : MOST_PIECE_BYTES;
        if (l->size == size && alignment > largest && alignment <= most)
            largest = alignment;
    }
    return largest;
}

/* The bytes of each piece in which nvcc's code copies so many bytes from or to this address, of a
 * type whose alignment is `most` at most. Source: an H200, nvcc 13.0 and 13.5: pieces are as large
 * as the alignment; of __shared__ variables, which nvcc aligns itself, up to four times as large,
 * if that divides the size, but for single bytes. */
static unsigned piece_of(uintptr_t address, size_t size, unsigned most)
{
    unsigned piece = alignment_of(size, most);

    if (piece == 0)
        piece = PIECE_BYTES; /* a template's, or a memcpy */
    else if (piece > 1 && space_is_shared(address) && !space_is_dynamic(address))
        for (int i = 0; i < 2 && piece < MOST_PIECE_BYTES && size % (2 * piece) == 0; i++)
            piece *= 2;
    return address % piece == 0 ? piece : PIECE_BYTES;
}

/* Logs accesses of `piece` bytes, and of one byte where a piece is not aligned or not whole. */
static void log_range(uintptr_t address, size_t size, unsigned piece, bool store, const void *pc)
{
    struct lane *lane = simt_current_lane;

    if (!lane) {
        hooks_host(address, size, store, false, pc);
        return;
    }
    if (lane->log.values)
        due_has_room(lane, store ? EVENT_STORE : EVENT_LOAD);
    if (store)
        due_settle(lane);
    lane->log.in_range = true;
    while (size > 0) {
        unsigned bytes = address % piece == 0 && size >= piece ? piece : 1;
        size -= bytes;
        unsigned which = size > 0 ? PIECE_MORE : PIECE_LAST;
        hooks_access(address, store ? EVENT_STORE : EVENT_LOAD, bytes,
                     store ? 0 : which << EXTRA_LANE_SHIFT, pc);
        address += bytes;
    }
    lane->log.in_range = false;
}

void pieces_range(const void *address, size_t size, bool store, const void *pc)
{
    log_range((uintptr_t)address, size, PIECE_BYTES, store, pc);
}

/* Structures of other than 1, 2, 4, 8 or 16 bytes, or aligned to less, and to less than 8. */
static void structure(void *p, size_t size, bool store, const void *pc)
{
    bool is_power = (size & (size - 1)) == 0 && size <= 16;
    unsigned most = is_power ? (unsigned)(size < 8 ? size : 8) / 2 : MOST_PIECE_BYTES;

    log_range((uintptr_t)p, size, piece_of((uintptr_t)p, size, most), store, pc);
}

/* 16 bytes: one access, unless all the program's structures of this size are aligned to 8. */
static void access_16(void *p, bool store, const void *pc)
{
    static unsigned alignment;

    if (alignment == 0)
        alignment = alignment_of(16, 16) == 8 ? 8 : 16;
    if (alignment == 8)
        log_range((uintptr_t)p, 16, piece_of((uintptr_t)p, 16, 8), store, pc);
    else
        hooks_access((uintptr_t)p, store ? EVENT_STORE : EVENT_LOAD, 16, 0, pc);
}

void __tsan_read16(void *p)
{
    access_16(p, false, __builtin_return_address(0));
}

void __tsan_write16(void *p)
{
    access_16(p, true, __builtin_return_address(0));
}
void __tsan_unaligned_read16(void *p) __attribute__((alias("__tsan_read16")));
void __tsan_unaligned_write16(void *p) __attribute__((alias("__tsan_write16")));

void __tsan_read_range(void *p, size_t size)
{
    structure(p, size, false, __builtin_return_address(0));
}

void __tsan_write_range(void *p, size_t size)
{
    structure(p, size, true, __builtin_return_address(0));
}
