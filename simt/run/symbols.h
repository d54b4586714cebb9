/* The program's symbol table: its functions and variables, without the backend's own; and marks of
 * the host's code. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symbol_kind {
    SYMBOL_FUNCTION,
    SYMBOL_SHARED, /* a __shared__ variable; its begin is an offset in the thread-local memory */
    SYMBOL_GUARD,  /* g++'s note whether a shared variable's constructor has run; an offset, too */
    SYMBOL_HOST,   /* a variable of the host */
    SYMBOL_DEVICE, /* a __device__, __constant__ or __managed__ variable */
    SYMBOL_KINDS
};

struct symbol {
    const char *mangled; /* the linker's name */
    const char *name;    /* of variables: as the program has it, without the scope */
    uintptr_t begin;
    size_t size;
    bool constant; /* __constant__ */
    bool managed;  /* __managed__: the host may use it, too */
    bool asked;    /* the host has its device address, from cudaGetSymbolAddress */
    size_t set;    /* bytes from its begin that have a value: of a __constant__ declared without
                      one, those that the host has set since */
};

/* The regions of the device's variables, with free addresses around them; and the part of
 * __device__ and __managed__ variables. The linker defines them (compile/sections.ld). */
extern char simt_regions[] __attribute__((weak)), simt_regions_end[] __attribute__((weak));
extern char __start_simt_device[] __attribute__((weak));
extern char __stop_simt_device[] __attribute__((weak));

/* Does the address lie in these regions, or so near that it is meant for one of their variables? */
static inline bool symbols_near(const void *address)
{
    return (uintptr_t)address - (uintptr_t)simt_regions <
           (uintptr_t)simt_regions_end - (uintptr_t)simt_regions;
}

/* All symbols of a kind, sorted by their begins. */
const struct symbol *symbols_of(enum symbol_kind kind, size_t *count);

/* The last symbol of a kind that begins at the address or in front of it; NULL: none does. */
struct symbol *symbols_below(enum symbol_kind kind, uintptr_t address);

/* The function that begins at the address; NULL: none does. */
struct symbol *symbols_function(uintptr_t address);

/* The name of the host's variable that the address lies in; NULL: it lies in none. */
const char *symbols_host(uintptr_t address);

/* Does the address lie in a variable of the host's that has an initial value? Constants in
 * functions and classes, and templates, which may be the device's, do not count. */
bool symbols_is_host(uintptr_t address);

/* The device's variable that the address lies in, else the nearest one. NULL: none is near. */
struct symbol *symbols_at(const void *address);

/* Does [address, address + size) lie in that variable? */
static inline bool symbol_holds(const struct symbol *symbol, const void *address, size_t size)
{
    size_t offset = (uintptr_t)address - symbol->begin;
    return (uintptr_t)address >= symbol->begin && offset <= symbol->size &&
           size <= symbol->size - offset;
}

/* _Z3addPfi becomes add(float*, int). On the heap; NULL: there is no memory. */
char *symbols_demangled(const char *mangled);

/* ---- marks, which stand for the host's code in kernels ----
 *
 * A function that both sides have lies at one address here, and at two with a GPU. A pointer to a
 * function that the host took itself, or an object with the host's virtual functions, is worth
 * nothing to a kernel. So when the host hands one over, the address in it becomes a mark: an
 * address without memory, which says what it stands for. */

/* Is the address a mark? Sets *function to the name of the host's function, on the heap, or to NULL
 * if the mark stands for a table of virtual functions. */
bool symbols_is_mark(const void *address, const char **function);

/* Has the program had memory that both sides can reach? Then nobody sees what the host reads, and
 * a pointer to a function may be the device's. */
extern bool symbols_shared_memory;
