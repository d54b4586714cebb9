/* The program's __device__, __constant__ and __managed__ variables, and its symbol table. */
#ifndef SIMT_SYMBOLS_H
#define SIMT_SYMBOLS_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
    const char *name; /* as written, without the scope */
    uintptr_t begin;
    size_t size;
    bool constant, managed; /* __constant__; __managed__: the host may use it, too */
    bool asked;             /* the host has its device address, by cudaGetSymbolAddress */
    bool unset; /* __constant__, declared without a value, and nobody has set it since */
};

/* Where such variables lie; the linker defines them (compile/sections.ld). */
extern char simt_regions[] __attribute__((weak)), simt_regions_end[] __attribute__((weak));

/* Does the address lie in the regions of such variables, or so near that no other memory is meant?
 */
static inline bool symbols_near(const void *address)
{
    return (uintptr_t)address - (uintptr_t)simt_regions <
           (uintptr_t)simt_regions_end - (uintptr_t)simt_regions;
}

/* The variable that address lies in or, if it lies in none, the nearest one; NULL when the program
 * has none. */
struct symbol *symbols_at(const void *address);

/* Are there constants that are unset? */
bool symbols_have_unset(void);

/* The variable has a value now, or may get one that nobody sees. */
void symbols_set(struct symbol *symbol);

/* True when [address, address + size) lies in that variable. */
static inline bool symbol_holds(const struct symbol *symbol, const void *address, size_t size)
{
    size_t offset = (uintptr_t)address - symbol->begin;
    return (uintptr_t)address >= symbol->begin && offset <= symbol->size &&
           size <= symbol->size - offset;
}

/* A sentence on where the address lies, seen from the variable next to it: empty if there is none.
 */
void symbols_describe(const void *address, char *text, size_t room);

/* Calls take for every symbol of the program's table. own: it comes from one of the backend's C
 * files. */
void symbols_read(void (*take)(const char *name, const ElfW(Sym) * symbol, bool own));

/* _Z3addPfi is add(float*, int); on the heap, NULL if there is no memory. */
char *symbols_demangled(const char *mangled);

/* reduce_block(int const*, …)::s is s; the text lives as long as the program. */
const char *symbols_short_name(const char *mangled);

#endif
