/* Finds variables in the program's symbol table, and this OS thread's copies of shared ones. */
#define _GNU_SOURCE
#include "watch/variables.h"
#include "run/end.h"
#include "run/symbols.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Sorted by offset, which of the host's is the address. */
struct table {
    struct shared_variable *of;
    size_t count;
};

static struct table shared, host;
static pthread_once_t variables_once = PTHREAD_ONCE_INIT;

static void add_variable(struct table *table, const char *symbol, size_t offset, size_t size)
{
    struct shared_variable *larger = realloc(table->of, (table->count + 1) * sizeof *larger);

    if (!larger)
        end_fatal("no memory for the names of variables");
    table->of = larger;
    table->of[table->count++] = (struct shared_variable){symbols_short_name(symbol), offset, size};
}

static int by_offset(const void *a, const void *b)
{
    const struct shared_variable *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* As C++'s ABI for Itanium calls them. */
static bool is_guard(const char *name)
{
    return strncmp(name, "_ZGV", 4) == 0;
}

/* All variables but those of the backend's own C files. */
static void take_variable(const char *name, const ElfW(Sym) * symbol, bool own)
{
    if (!own && ELF64_ST_TYPE(symbol->st_info) == STT_TLS && !is_guard(name))
        add_variable(&shared, name, symbol->st_value, symbol->st_size);
    if (!own && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
        !symbols_near((const void *)symbol->st_value))
        add_variable(&host, name, symbol->st_value, symbol->st_size);
}

static void read_variables(void)
{
    symbols_read(take_variable);
    if (shared.count > 0)
        qsort(shared.of, shared.count, sizeof *shared.of, by_offset);
    if (host.count > 0)
        qsort(host.of, host.count, sizeof *host.of, by_offset);
}

const struct shared_variable *variables_shared(size_t *count)
{
    pthread_once(&variables_once, read_variables);
    *count = shared.count;
    return shared.of;
}

const char *variables_host(uintptr_t address)
{
    size_t low = 0;

    pthread_once(&variables_once, read_variables);
    for (size_t high = host.count; low < high;) { /* the first that begins behind the address */
        size_t middle = (low + high) / 2;
        if (host.of[middle].offset <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct shared_variable *v = low > 0 ? &host.of[low - 1] : NULL;
    return v && address - v->offset < v->size ? v->name : NULL;
}

/* ---- the thread-local variables of this OS thread ---- */

struct tls {
    char *begin;
    size_t size;
};

/* The first module is the program itself. */
static int find_tls(struct dl_phdr_info *info, size_t size, void *result)
{
    struct tls *tls = result;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_TLS)
            continue;
        tls->begin = info->dlpi_tls_data;
        tls->size = info->dlpi_phdr[i].p_memsz;
    }
    return 1;
}

/* Where the guards of all shared variables lie in it, and where it lies. */
static struct {
    size_t *offset, count;
} guards;
static pthread_once_t guards_once = PTHREAD_ONCE_INIT;
static __thread uintptr_t tls_begin;

static void take_guard(const char *name, const ElfW(Sym) * symbol, bool own)
{
    if (own || ELF64_ST_TYPE(symbol->st_info) != STT_TLS || !is_guard(name))
        return;
    size_t *larger = realloc(guards.offset, (guards.count + 1) * sizeof *larger);

    if (!larger)
        end_fatal("no memory for the names of variables");
    guards.offset = larger;
    guards.offset[guards.count++] = symbol->st_value;
}

static void read_guards(void)
{
    symbols_read(take_guard);
}

char *variables_tls(size_t *size)
{
    struct tls tls = {0};
    dl_iterate_phdr(find_tls, &tls);
    *size = tls.size;
    pthread_once(&guards_once, read_guards);
    tls_begin = (uintptr_t)tls.begin;
    return tls.begin;
}

bool variables_is_guard(uintptr_t address)
{
    for (size_t i = 0; i < guards.count; i++)
        if (address == tls_begin + guards.offset[i])
            return true;
    return false;
}
