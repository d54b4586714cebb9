/* The program's symbol table: its functions and variables, without the backend's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symbol_kind {
    SYMBOL_FUNCTION,
    SYMBOL_SHARED, /* a __shared__ variable; it begins at an offset in the thread-local ones */
    SYMBOL_GUARD,  /* g++'s: has the constructor of a shared variable run? Offsets, too */
    SYMBOL_HOST,   /* a variable of the host */
    SYMBOL_DEVICE, /* one that is __device__, __constant__ or __managed__ */
    SYMBOL_KINDS
};

struct symbol {
    const char *mangled; /* as the linker knows it */
    const char *name;    /* of shared and the device's variables: as written, without the scope */
    uintptr_t begin;
    size_t size;
    bool constant, managed; /* __constant__; __managed__: the host may use it, too */
    bool asked;             /* the host has its device address, by cudaGetSymbolAddress */
    bool unset; /* __constant__, declared without a value, and nobody has set it since */
};

/* Where such variables lie; the linker defines them (compile/sections.ld). */
extern char simt_regions[] __attribute__((weak)), simt_regions_end[] __attribute__((weak));

/* Does it lie in the regions of such variables, or so near that no other memory is meant? */
static inline bool symbols_near(const void *address)
{
    return (uintptr_t)address - (uintptr_t)simt_regions <
           (uintptr_t)simt_regions_end - (uintptr_t)simt_regions;
}

/* All of a kind, sorted by where they begin. */
const struct symbol *symbols_of(enum symbol_kind kind, size_t *count);

/* The last one of a kind that begins at the address or in front of it; NULL: none does. */
struct symbol *symbols_below(enum symbol_kind kind, uintptr_t address);

/* What the host's variable that holds the address is called; NULL: there is none. */
const char *symbols_host(uintptr_t address);

/* The device's variable that address lies in or, if it lies in none, the nearest one; NULL when the
 * address is not near any. */
struct symbol *symbols_at(const void *address);

/* True when [address, address + size) lies in that variable. */
static inline bool symbol_holds(const struct symbol *symbol, const void *address, size_t size)
{
    size_t offset = (uintptr_t)address - symbol->begin;
    return (uintptr_t)address >= symbol->begin && offset <= symbol->size &&
           size <= symbol->size - offset;
}

/* _Z3addPfi is add(float*, int); on the heap, NULL if there is no memory. */
char *symbols_demangled(const char *mangled);

/* reduce_block(int const*, …)::s is s; the text lives as long as the program. */
const char *symbols_short_name(const char *mangled);
