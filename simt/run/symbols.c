/* Reads the program's symbol table once, and looks addresses up in it. Makes marks of pointers to
 * the host's code. */
#include "run/symbols.h"
#include "run/array.h"
#include "run/end.h"
#include "simt_device.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---- */

char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status)
    __attribute__((weak));

char *symbols_demangled(const char *mangled)
{
    bool is_mangled = strncmp(mangled, "_Z", 2) == 0;
    char *name = __cxa_demangle && is_mangled ? __cxa_demangle(mangled, NULL, NULL, NULL) : NULL;

    return name ? name : strdup(mangled);
}

/* The last part of a name: reduce_block(int const*, …)::s becomes s. It is never freed. */
static const char *short_name(const char *mangled)
{
    const char *name = symbols_demangled(mangled), *last = NULL;

    for (const char *p = name; p && (p = strstr(p, "::")); p += 2)
        last = p + 2;
    return last ? last : name;
}

/* ---- the table ---- */

extern char data_start[]; /* of the data that may change; the linker defines it */
extern char __start_simt_managed[] __attribute__((weak));
extern char __start_simt_constant[] __attribute__((weak));
extern char __start_simt_unset[] __attribute__((weak));
extern char __stop_simt_constant[] __attribute__((weak));

static struct symbol_list { /* of one kind, sorted by their begins */
    struct symbol *symbol;
    size_t count, room;
} lists[SYMBOL_KINDS];

static bool within(uintptr_t address, const char *begin, const char *end)
{
    return address >= (uintptr_t)begin && address < (uintptr_t)end;
}

static void add_symbol(const char *mangled, uintptr_t begin, size_t size, enum symbol_kind kind)
{
    struct symbol_list *t = &lists[kind];

    if (size == 0)
        return;
    *ARRAY_ADD(t->symbol, t->count, t->room) = (struct symbol){
        .mangled = mangled,
        .name = kind == SYMBOL_DEVICE || kind == SYMBOL_SHARED ? short_name(mangled) : NULL,
        .begin = begin,
        .size = size,
        .constant = within(begin, __start_simt_constant, __stop_simt_constant),
        .managed = within(begin, __start_simt_managed, __stop_simt_device),
        .set = within(begin, __start_simt_unset, __stop_simt_constant) ? 0 : size};
}

static enum symbol_kind kind_of(const char *name, const ElfW(Sym) * symbol)
{
    switch (ELF64_ST_TYPE(symbol->st_info)) {
    case STT_FUNC: return SYMBOL_FUNCTION;
    case STT_TLS: /* the C++ ABI's names for g++'s guards */
        return strncmp(name, "_ZGV", 4) == 0 ? SYMBOL_GUARD : SYMBOL_SHARED;
    case STT_OBJECT: break;
    default: return SYMBOL_KINDS;
    }
    bool device = within(symbol->st_value, __start_simt_device, __stop_simt_device) ||
                  within(symbol->st_value, __start_simt_constant, __stop_simt_constant);
    return device                                         ? SYMBOL_DEVICE
           : symbols_near((const void *)symbol->st_value) ? SYMBOL_KINDS
                                                          : SYMBOL_HOST;
}

/* Local symbols follow the name of their source file. The backend's own are C files or <stdin>. */
static void read_table(const ElfW(Sym) * symbols, size_t count, const char *names)
{
    bool in_c_file = false;

    for (size_t i = 0; i < count; i++) {
        const char *name = names + symbols[i].st_name;
        size_t length = strlen(name);
        bool own = (in_c_file && ELF64_ST_BIND(symbols[i].st_info) == STB_LOCAL) ||
                   strncmp(name, "simt_", 5) == 0;
        enum symbol_kind kind = kind_of(name, &symbols[i]);

        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FILE)
            in_c_file = length > 2 && (strcmp(name + length - 2, ".c") == 0 || *name == '<');
        else if (!own && kind != SYMBOL_KINDS && symbols[i].st_shndx != SHN_UNDEF)
            add_symbol(name, symbols[i].st_value, symbols[i].st_size, kind);
    }
}

static void read_sections(const char *file)
{
    const ElfW(Ehdr) *header = (const void *)file;
    const ElfW(Shdr) *section = (const void *)(file + header->e_shoff);

    for (int i = 0; i < header->e_shnum; i++)
        if (section[i].sh_type == SHT_SYMTAB)
            read_table((const void *)(file + section[i].sh_offset),
                       section[i].sh_size / sizeof(ElfW(Sym)),
                       file + section[section[i].sh_link].sh_offset);
}

static int by_address(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;

    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The names of symbols lie in the program's file, which stays mapped. */
__attribute__((constructor(101))) static void read_program(void)
{
    struct stat info;
    int fd = open("/proc/self/exe", O_RDONLY);
    char *file = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &info) == 0)
        file = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (file != MAP_FAILED)
        read_sections(file);
    if (lists[SYMBOL_FUNCTION].count == 0)
        end_usage("the program has no symbol table; want one that is not stripped");
    for (struct symbol_list *t = lists; t < lists + SYMBOL_KINDS; t++)
        if (t->count > 0)
            qsort(t->symbol, t->count, sizeof *t->symbol, by_address);
}

const struct symbol *symbols_of(enum symbol_kind kind, size_t *count)
{
    *count = lists[kind].count;
    return lists[kind].symbol;
}

struct symbol *symbols_below(enum symbol_kind kind, uintptr_t address)
{
    const struct symbol_list *t = &lists[kind];
    size_t low = 0;

    for (size_t high = t->count; low < high;) { /* finds the first one that begins behind it */
        size_t middle = (low + high) / 2;
        if (t->symbol[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &t->symbol[low - 1] : NULL;
}

struct symbol *symbols_function(uintptr_t address)
{
    struct symbol *symbol = symbols_below(SYMBOL_FUNCTION, address);

    return symbol && symbol->begin == address ? symbol : NULL;
}

/* The host's variable that the address lies in; NULL: it lies in none. */
static struct symbol *host_at(uintptr_t address)
{
    struct symbol *symbol = symbols_below(SYMBOL_HOST, address);

    return symbol && address - symbol->begin < symbol->size ? symbol : NULL;
}

const char *symbols_host(uintptr_t address)
{
    struct symbol *symbol = host_at(address);

    if (symbol && !symbol->name)
        symbol->name = short_name(symbol->mangled);
    return symbol ? symbol->name : NULL;
}

/* Is it the name of a constant outside of functions and classes, and of no template? Source: the
 * C++ ABI, _ZL4name and _ZN5spaceL4nameE. */
static bool is_constant_outside(const char *mangled)
{
    bool nested = strncmp(mangled, "_ZN", 3) == 0;
    const char *at = mangled + 2 + nested;
    size_t length;
    char *name;

    if (strncmp(mangled, "_Z", 2) != 0)
        return false;
    for (; nested && (length = strtoul(at, &name, 10)) > 0 && length < strlen(name);)
        at = name + length;
    return *at == 'L' && strtoul(at + 1, &name, 10) + nested == strlen(name);
}

bool symbols_is_host(uintptr_t address)
{
    const struct symbol *symbol = host_at(address);

    return symbol && strncmp(symbol->mangled, "_ZT", 3) != 0 &&
           (address >= (uintptr_t)data_start || is_constant_outside(symbol->mangled));
}

/* ---- the device's variables: the linker gathers them in regions (compile/sections.ld) ---- */

/* An address between two variables is taken for the first one's, unless so near the second. */
enum { IN_FRONT = 64 };

struct symbol *symbols_at(const void *address)
{
    if (!symbols_near(address))
        return NULL;
    struct symbol *below = symbols_below(SYMBOL_DEVICE, (uintptr_t)address);
    const struct symbol_list *all = &lists[SYMBOL_DEVICE];
    struct symbol *above = below ? below + 1 : all->symbol;

    if (above == all->symbol + all->count)
        return below;
    bool nearer =
        below && !symbol_holds(below, address, 1) && above->begin - (uintptr_t)address <= IN_FRONT;
    return !below || nearer ? above : below;
}

/* ---- marks of the host's code ---- */

bool symbols_shared_memory;

/* The function that begins at the address, or the table of virtual functions that it lies in; NULL:
 * neither. Source: C++ ABI, _ZTV, and _ZTC while objects are made. */
static struct symbol *code_at(uintptr_t address)
{
    struct symbol *function = symbols_function(address), *host = host_at(address);
    bool table =
        host && (strncmp(host->mangled, "_ZTV", 4) == 0 || strncmp(host->mangled, "_ZTC", 4) == 0);

    return function ? function : table ? host : NULL;
}

/* The mapping of marks, without memory. A mark stands for the same offset in the program. */
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

    return marks && code_at(meant) ? meant : 0;
}

static __thread bool functions_too; /* of the copy */

static void hand_over(uintptr_t *word)
{
    const struct symbol *code = code_at(*word);
    bool function = code && code->begin == *word; /* no object points to its table's begin */

    if (code && !code->asked && (!function || functions_too))
        *word = mark_of(*word);
}

static void take_back(uintptr_t *word)
{
    struct symbol *code = code_at(*word);

    if (code)
        code->asked = true;
    else if (marked(*word))
        *word = marked(*word);
}

/* Calls change() for each word of the bytes that lies in the program, or in the marks: few do. */
static void change_words(void *bytes, size_t size, void (*change)(uintptr_t *word))
{
    uintptr_t program = (uintptr_t)__executable_start, others = marks ? marks : program;
    uintptr_t length = (uintptr_t)edata - program, begin = (uintptr_t)bytes;
    uintptr_t *word = (uintptr_t *)((begin + sizeof *word - 1) & -sizeof *word);
    const uintptr_t *end = (uintptr_t *)((begin + size) & -sizeof *word);

    for (; word < end; word++)
        if (*word - program < length || *word - others < length)
            change(word);
}

/* A number may equal the address of a function. So functions are looked for in few bytes alone, as
 * a table of them has, and of an array of objects the first ones are enough to tell. */
enum { TABLE_BYTES = 512, OBJECT_BYTES = 4096 };

void simt_hand_over(void *bytes, size_t size)
{
    functions_too = size <= TABLE_BYTES && !symbols_shared_memory;
    change_words(bytes, size < OBJECT_BYTES ? size : OBJECT_BYTES, hand_over);
}

void simt_take_back(void *bytes, size_t size)
{
    change_words(bytes, size, take_back);
}

bool symbols_is_mark(const void *address, const char **function)
{
    uintptr_t meant = marked((uintptr_t)address);
    const struct symbol *symbol = meant ? symbols_function(meant) : NULL;

    *function = symbol ? symbols_demangled(symbol->mangled) : NULL;
    return meant;
}
