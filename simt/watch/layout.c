#include "watch/layout.h"
#include "watch/space.h"

enum { WORD = 4 };

struct layout {
    unsigned size, alignment;
};

/* The section of the records. */
extern const struct layout __start_simt_layouts[] __attribute__((weak));
extern const struct layout __stop_simt_layouts[] __attribute__((weak));

unsigned layout_alignment(size_t size)
{
    unsigned most = 0;

    for (const struct layout *l = __start_simt_layouts; l < __stop_simt_layouts; l++)
        if (l->size == size && l->alignment > most)
            most = l->alignment;
    return most;
}

unsigned layout_piece(uintptr_t address, size_t size, unsigned most)
{
    bool is_shared = space_is_shared(address) && !space_is_dynamic(address);
    unsigned piece = is_shared ? (unsigned)(size & -size) : layout_alignment(size);

    if (is_shared)
        most = 16;
    piece = piece == 0 ? WORD : piece;
    piece = piece < most ? piece : most;
    return address % piece == 0 ? piece : WORD;
}
