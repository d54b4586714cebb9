/* Makes marks of pointers to the host's code. */
#define _GNU_SOURCE
#include "run/code.h"
#include "run/memory.h"
#include "run/symbols.h"
#include "simt_device.h"

#include <string.h>
#include <sys/mman.h>

/* The program's code and tables, in front of its variables; the linker defines them. */
extern char __executable_start[], edata[];

/* Where marks lie: a mapping as large as the image, without memory. An address in it stands for the
 * address at the same offset in the image. */
static uintptr_t marks;

static uintptr_t mark_of(uintptr_t address)
{
    size_t size = (size_t)(edata - __executable_start);
    void *mapped;

    if (!marks) {
        mapped = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        marks = mapped == MAP_FAILED ? 0 : (uintptr_t)mapped;
    }
    return marks ? marks + (address - (uintptr_t)__executable_start) : address;
}

static bool in_image(uintptr_t address)
{
    return address - (uintptr_t)__executable_start < (uintptr_t)(edata - __executable_start) &&
           !symbols_near((const void *)address);
}

/* The address that a mark stands for; 0: it is no mark. */
static uintptr_t marked(uintptr_t address)
{
    uintptr_t meant = address - marks + (uintptr_t)__executable_start;

    return marks && in_image(meant) ? meant : 0;
}

/* The function that begins there; NULL: none does. */
static struct symbol *function_at(uintptr_t address)
{
    struct symbol *symbol = in_image(address) ? symbols_below(SYMBOL_FUNCTION, address) : NULL;

    return symbol && symbol->begin == address ? symbol : NULL;
}

void simt_hand_over(void *bytes, size_t size, bool has_tables)
{
    for (uintptr_t *word = bytes; (char *)(word + 1) <= (char *)bytes + size; word++) {
        const struct symbol *function = function_at(*word);
        if (function ? !function->asked && !memory_shared : has_tables && in_image(*word))
            *word = mark_of(*word);
    }
}

void simt_take_back(void *bytes, size_t size)
{
    for (uintptr_t *word = bytes; (char *)(word + 1) <= (char *)bytes + size; word++) {
        struct symbol *function = function_at(*word);
        if (function)
            function->asked = true;
        else if (marked(*word))
            *word = marked(*word);
    }
}

bool code_of_host(const void *address, const char **function)
{
    uintptr_t meant = marked((uintptr_t)address);
    const struct symbol *symbol = meant ? function_at(meant) : NULL;

    *function = symbol ? symbols_demangled(symbol->mangled) : NULL;
    return meant;
}
