#include "watch/hooks.h"
#include "watch/space.h"

enum { WORD = 4, LARGEST = 16, ELEMENTS = 4 };

struct layout {
    unsigned size, alignment;
};

/* The section of the records. */
extern const struct layout __start_simt_layouts[] __attribute__((weak));
extern const struct layout __stop_simt_layouts[] __attribute__((weak));

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned layout_alignment(size_t size, unsigned most)
{
    unsigned largest = 0;

    for (const struct layout *l = __start_simt_layouts; l < __stop_simt_layouts; l++) {
        unsigned alignment = least(l->alignment, LARGEST);
        if (l->size == size && alignment > largest && alignment <= most)
            largest = alignment;
    }
    return largest;
}

unsigned layout_piece(uintptr_t address, size_t size, unsigned most)
{
    unsigned piece = layout_alignment(size, most);

    if (piece == 0)
        piece = WORD; /* a template's, or a memcpy */
    else if (piece > 1 && space_is_shared(address) && !space_is_dynamic(address))
        piece = least(ELEMENTS * piece, (unsigned)(size & -size));
    piece = least(piece, LARGEST);
    return address % piece == 0 ? piece : WORD;
}
