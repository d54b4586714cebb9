/* Reads the program's symbol table, and finds this OS thread's copies. */
#define _GNU_SOURCE
#include "watch/variables.h"
#include "run/end.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct shared_variable *variables;
static size_t variable_count;
static pthread_once_t variables_once = PTHREAD_ONCE_INIT;

char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status)
    __attribute__((weak));

/* reduce_block(int const*, …)::s is s. */
static const char *short_name(const char *symbol)
{
    char *name = __cxa_demangle ? __cxa_demangle(symbol, NULL, NULL, NULL) : NULL;
    const char *last = NULL;

    if (!name)
        return strdup(symbol);
    for (const char *p = name; (p = strstr(p, "::")); p += 2)
        last = p + 2;
    return last ? last : name;
}

static void add_variable(const char *symbol, size_t offset, size_t size)
{
    struct shared_variable *larger = realloc(variables, (variable_count + 1) * sizeof *larger);

    if (!larger)
        end_fatal("no memory for the names of shared variables");
    variables = larger;
    variables[variable_count++] = (struct shared_variable){short_name(symbol), offset, size};
}

static int by_offset(const void *a, const void *b)
{
    const struct shared_variable *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* All thread-local variables but those of the backend's own C files. Local symbols of a symbol
 * table follow the name of the file that they come from. */
static void read_symbols(const ElfW(Sym) * symbols, size_t count, const char *names)
{
    bool in_c_file = false;

    for (size_t i = 0; i < count; i++) {
        const char *name = names + symbols[i].st_name;
        unsigned type = ELF64_ST_TYPE(symbols[i].st_info);
        bool is_local = ELF64_ST_BIND(symbols[i].st_info) == STB_LOCAL;
        size_t length = strlen(name);

        if (type == STT_FILE)
            in_c_file = length > 2 && strcmp(name + length - 2, ".c") == 0;
        if (type != STT_TLS || symbols[i].st_shndx == SHN_UNDEF || symbols[i].st_size == 0 ||
            (is_local && in_c_file) || strncmp(name, "simt_", 5) == 0)
            continue;
        add_variable(name, symbols[i].st_value, symbols[i].st_size);
    }
}

static void read_sections(const char *file)
{
    const ElfW(Ehdr) *header = (const void *)file;
    const ElfW(Shdr) *section = (const void *)(file + header->e_shoff);

    for (int i = 0; i < header->e_shnum; i++)
        if (section[i].sh_type == SHT_SYMTAB)
            read_symbols((const void *)(file + section[i].sh_offset),
                         section[i].sh_size / sizeof(ElfW(Sym)),
                         file + section[section[i].sh_link].sh_offset);
}

static void read_variables(void)
{
    struct stat info;
    int fd = open("/proc/self/exe", O_RDONLY);

    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0) {
        char *file = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            read_sections(file);
            munmap(file, (size_t)info.st_size);
        }
    }
    close(fd);
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
