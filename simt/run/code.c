/* Makes marks of pointers to the host's code. */
#define _GNU_SOURCE
#include "run/memory.h"
#include "run/symbols.h"
#include "simt_device.h"

#include <string.h>
#include <sys/mman.h>

/* The program's code and the data that has a value; the linker defines them. */
extern char __executable_start[], edata[];

/* The function that begins there; NULL: none does. */
static struct symbol *function_at(uintptr_t address)
{
    struct symbol *symbol = symbols_below(SYMBOL_FUNCTION, address);

    return symbol && symbol->begin == address ? symbol : NULL;
}

/* Is it in a table of virtual functions? Source: the C++ ABI, _ZTV, and _ZTC while objects are
 * made. */
static bool is_in_table(uintptr_t address)
{
    const struct symbol *symbol = symbols_below(SYMBOL_HOST, address);

    return symbol && address - symbol->begin < symbol->size &&
           (strncmp(symbol->mangled, "_ZTV", 4) == 0 || strncmp(symbol->mangled, "_ZTC", 4) == 0);
}

/* The mapping of marks, which has no memory. A mark stands for the address at the same offset in
 * the program. */
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

/* The address that a mark stands for; 0: it is no mark. Nothing else of an object, such as a number
 * or what its padding contains, may be taken for one. */
static uintptr_t marked(uintptr_t address)
{
    uintptr_t meant = address - marks + (uintptr_t)__executable_start;

    return marks && (function_at(meant) || is_in_table(meant)) ? meant : 0;
}

void simt_hand_over(void *bytes, size_t size, bool has_tables)
{
    for (uintptr_t *word = bytes; (char *)(word + 1) <= (char *)bytes + size; word++) {
        const struct symbol *function = function_at(*word);
        if (function ? !function->asked && !memory_shared : has_tables && is_in_table(*word))
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
