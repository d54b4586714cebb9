/* Finds the __shared__ variables in the program's symbol table, and this OS thread's copies. */
#define _GNU_SOURCE
#include "watch/variables.h"
#include "run/end.h"
#include "run/symbols.h"

#include <pthread.h>
#include <stdlib.h>

static struct shared_variable *variables;
static size_t variable_count;
static pthread_once_t variables_once = PTHREAD_ONCE_INIT;

static void add_variable(const char *symbol, size_t offset, size_t size)
{
    struct shared_variable *larger = realloc(variables, (variable_count + 1) * sizeof *larger);

    if (!larger)
        end_fatal("no memory for the names of shared variables");
    variables = larger;
    variables[variable_count++] =
        (struct shared_variable){symbols_short_name(symbol), offset, size};
}

static int by_offset(const void *a, const void *b)
{
    const struct shared_variable *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* All thread-local variables but those of the backend's own C files. */
static void take_variable(const char *name, const ElfW(Sym) * symbol, bool own)
{
    if (!own && ELF64_ST_TYPE(symbol->st_info) == STT_TLS)
        add_variable(name, symbol->st_value, symbol->st_size);
}

static void read_variables(void)
{
    symbols_read(take_variable);
    if (variable_count > 0)
        qsort(variables, variable_count, sizeof *variables, by_offset);
}

const struct shared_variable *variables_shared(size_t *count)
{
    pthread_once(&variables_once, read_variables);
    *count = variable_count;
    return variables;
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

char *variables_tls(size_t *size)
{
    struct tls tls = {0};
    dl_iterate_phdr(find_tls, &tls);
    *size = tls.size;
    return tls.begin;
}
