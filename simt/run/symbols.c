/* Reads the program's symbol table, and finds the device's variables in it. */
#define _GNU_SOURCE
#include "run/symbols.h"
#include "run/end.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the table ---- */

char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status)
    __attribute__((weak));

char *symbols_demangled(const char *mangled)
{
    bool is_mangled = strncmp(mangled, "_Z", 2) == 0;
    char *name = __cxa_demangle && is_mangled ? __cxa_demangle(mangled, NULL, NULL, NULL) : NULL;

    return name ? name : strdup(mangled);
}

const char *symbols_short_name(const char *mangled)
{
    static const char prefix[] = "simt_static_"; /* of a template's: compile/rewrite.c */
    const char *name = symbols_demangled(mangled), *last = NULL;

    for (const char *p = name; p && (p = strstr(p, "::")); p += 2)
        last = p + 2;
    last = last ? last : name;
    return strncmp(last, prefix, sizeof prefix - 1) == 0 ? last + sizeof prefix - 1 : last;
}

typedef void take_symbol(const char *name, const ElfW(Sym) * symbol, bool own);

/* Local symbols of a symbol table follow the name of the file that they come from. */
static void read_table(const ElfW(Sym) * symbols, size_t count, const char *names,
                       take_symbol *take)
{
    bool in_c_file = false;

    for (size_t i = 0; i < count; i++) {
        const char *name = names + symbols[i].st_name;
        size_t length = strlen(name);

        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FILE)
            in_c_file = length > 2 && strcmp(name + length - 2, ".c") == 0;
        else if (symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_size > 0)
            take(name, &symbols[i],
                 (in_c_file && ELF64_ST_BIND(symbols[i].st_info) == STB_LOCAL) ||
                     strncmp(name, "simt_", 5) == 0);
    }
}

static void read_sections(const char *file, take_symbol *take)
{
    const ElfW(Ehdr) *header = (const void *)file;
    const ElfW(Shdr) *section = (const void *)(file + header->e_shoff);

    for (int i = 0; i < header->e_shnum; i++)
        if (section[i].sh_type == SHT_SYMTAB)
            read_table((const void *)(file + section[i].sh_offset),
                       section[i].sh_size / sizeof(ElfW(Sym)),
                       file + section[section[i].sh_link].sh_offset, take);
}

void symbols_read(take_symbol *take)
{
    struct stat info;
    int fd = open("/proc/self/exe", O_RDONLY);

    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0) {
        char *file = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            read_sections(file, take);
            munmap(file, (size_t)info.st_size);
        }
    }
    close(fd);
}

/* ---- the device's variables: the linker gathers them in regions (compile/sections.ld) ---- */

extern char __start_simt_device[] __attribute__((weak));
extern char __start_simt_managed[] __attribute__((weak));
extern char __stop_simt_device[] __attribute__((weak));
extern char __start_simt_constant[] __attribute__((weak));
extern char __start_simt_unset[] __attribute__((weak));
extern char __stop_simt_constant[] __attribute__((weak));

static struct symbol *table;
static size_t table_length, unset; /* unset: how many are */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool within(uintptr_t address, const char *begin, const char *end)
{
    return address >= (uintptr_t)begin && address < (uintptr_t)end;
}

static void add(const char *name, uintptr_t begin, size_t size)
{
    struct symbol *larger = realloc(table, (table_length + 1) * sizeof *larger);

    if (!larger)
        end_fatal("no memory for the names of __device__ variables");
    table = larger;
    table[table_length++] =
        (struct symbol){.name = name,
                        .begin = begin,
                        .size = size,
                        .constant = within(begin, __start_simt_constant, __stop_simt_constant),
                        .managed = within(begin, __start_simt_managed, __stop_simt_device),
                        .unset = within(begin, __start_simt_unset, __stop_simt_constant)};
    unset += table[table_length - 1].unset;
}

static void take_variable(const char *name, const ElfW(Sym) * symbol, bool own)
{
    bool variable = within(symbol->st_value, __start_simt_device, __stop_simt_device) ||
                    within(symbol->st_value, __start_simt_constant, __stop_simt_constant);

    if (!own && variable && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT)
        add(symbols_short_name(name), symbol->st_value, symbol->st_size);
}

static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* A program without a symbol table has its variables as one. */
static void add_whole(const char *name, const char *begin, const char *end)
{
    if (begin < end)
        add(name, (uintptr_t)begin, (size_t)(end - begin));
}

static void read_variables(void)
{
    symbols_read(take_variable);
    if (table_length == 0) {
        add_whole("all __constant__ variables", __start_simt_constant, __stop_simt_constant);
        add_whole("all __device__ variables", __start_simt_device, __stop_simt_device);
    }
    if (table_length > 0)
        qsort(table, table_length, sizeof *table, by_address);
}

/* Between two variables an address is more likely past the first than in front of the second, but
 * for the last few bytes. */
enum { IN_FRONT = 64 };

struct symbol *symbols_at(const void *address)
{
    size_t low = 0;

    pthread_once(&once, read_variables);
    for (size_t high = table_length; low < high;) { /* the first that begins behind the address */
        size_t middle = (low + high) / 2;
        if (table[middle].begin <= (uintptr_t)address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return table_length > 0 ? &table[0] : NULL;
    if (low < table_length && !symbol_holds(&table[low - 1], address, 1) &&
        table[low].begin - (uintptr_t)address <= IN_FRONT)
        return &table[low];
    return &table[low - 1];
}

bool symbols_have_unset(void)
{
    pthread_once(&once, read_variables);
    return __atomic_load_n(&unset, __ATOMIC_RELAXED) > 0;
}

void symbols_set(struct symbol *symbol)
{
    if (__atomic_exchange_n(&symbol->unset, false, __ATOMIC_RELAXED))
        __atomic_sub_fetch(&unset, 1, __ATOMIC_RELAXED);
}

static const char *kind_of(const struct symbol *symbol)
{
    return symbol->constant ? "__constant__" : symbol->managed ? "__managed__" : "__device__";
}

void symbols_describe(const void *address, char *text, size_t room)
{
    const struct symbol *symbol = symbols_at(address);
    uintptr_t at = (uintptr_t)address;

    text[0] = '\0';
    if (!symbol)
        return;
    if (at < symbol->begin)
        snprintf(text, room, "It lies %zu byte%s before %s, a %s variable of %zu bytes.",
                 (size_t)(symbol->begin - at), symbol->begin - at == 1 ? "" : "s", symbol->name,
                 kind_of(symbol), symbol->size);
    else
        snprintf(text, room, "It touches byte %zu of %s, a %s variable of %zu bytes.",
                 (size_t)(at - symbol->begin), symbol->name, kind_of(symbol), symbol->size);
}
