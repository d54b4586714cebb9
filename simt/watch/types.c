/* Reads DWARF 4 (the standard's chapter 7), which simtcc asks for, as far as it takes to find the
 * sizes and names of structures. The backend's own units are of another version. */
#include "watch/types.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sizes that g++ accesses at once; the bit of each is the size itself. */
enum { MOST = 16, ALL_SIZES = 1 | 2 | 4 | 8 | 16 };

enum { TAG_CLASS = 0x02, TAG_STRUCTURE = 0x13, TAG_UNION = 0x17, TAG_NAMESPACE = 0x39 };
enum { TAG_SUBPROGRAM = 0x2e, TAG_TYPEDEF = 0x16, TAG_CONST = 0x26, TAG_VOLATILE = 0x35 };
enum { AT_NAME = 0x03, AT_BYTE_SIZE = 0x0b, AT_TYPE = 0x49, AT_LINKAGE_NAME = 0x6e };
enum { AT_LOW_PC = 0x11, AT_RANGES = 0x55, AT_ABSTRACT_ORIGIN = 0x31, AT_SPECIFICATION = 0x47 };

struct bytes {
    const unsigned char *at, *end;
};

struct debug {
    struct bytes info, abbreviations, strings;
};

/* What was read of one entry. */
struct entry {
    uint64_t tag, size;
    uint64_t type, origin; /* where in the unit these entries are, 0: none; origin: the entry that
                              says the rest of this one */
    bool has_children, has_code;
    const char *name, *linkage_name;
};

/* ---- numbers; behind the end all are 0 ---- */

static uint64_t fixed(struct bytes *b, size_t size)
{
    uint64_t value = 0;

    if ((size_t)(b->end - b->at) < size) {
        b->at = b->end;
        return 0;
    }
    memcpy(&value, b->at, size);
    b->at += size;
    return value;
}

static uint64_t leb128(struct bytes *b)
{
    uint64_t value = 0;

    for (unsigned shift = 0; b->at < b->end; shift += 7) {
        unsigned char byte = *b->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return value;
}

static void skip(struct bytes *b, uint64_t size)
{
    b->at = size > (uint64_t)(b->end - b->at) ? b->end : b->at + size;
}

static const char *text(struct bytes *b)
{
    const char *start = (const char *)b->at;
    const void *nul = memchr(b->at, 0, (size_t)(b->end - b->at));

    b->at = nul ? (const unsigned char *)nul + 1 : b->end;
    return nul ? start : "";
}

/* ---- entries ---- */

/* Reads an attribute of this form; its number, or its text. False: no such form is known. */
static bool read_form(const struct debug *debug, struct bytes *b, uint64_t form, uint64_t *number,
                      const char **string)
{
    enum { INDIRECT = 0x16 };
    while (form == INDIRECT)
        form = leb128(b);
    *number = 0;
    *string = NULL;
    switch (form) {
    case 0x01: /* addr */
    case 0x07: /* data8 */
    case 0x14: /* ref8 */
    case 0x20: /* ref_sig8 */ *number = fixed(b, 8); return true;
    case 0x0b: /* data1 */
    case 0x0c: /* flag */
    case 0x11: /* ref1 */ *number = fixed(b, 1); return true;
    case 0x05: /* data2 */
    case 0x12: /* ref2 */ *number = fixed(b, 2); return true;
    case 0x06: /* data4 */
    case 0x10: /* ref_addr */
    case 0x13: /* ref4 */
    case 0x17: /* sec_offset */ *number = fixed(b, 4); return true;
    case 0x0d: /* sdata */
    case 0x0f: /* udata */
    case 0x15: /* ref_udata */ *number = leb128(b); return true;
    case 0x03: /* block2 */ skip(b, fixed(b, 2)); return true;
    case 0x04: /* block4 */ skip(b, fixed(b, 4)); return true;
    case 0x0a: /* block1 */ skip(b, fixed(b, 1)); return true;
    case 0x09: /* block */
    case 0x18: /* exprloc */ skip(b, leb128(b)); return true;
    case 0x08: /* string */ *string = text(b); return true;
    case 0x0e: { /* strp */
        struct bytes at = debug->strings;
        skip(&at, fixed(b, 4));
        *string = text(&at);
        return true;
    }
    case 0x19: /* flag_present */ return true;
    default: return false;
    }
}

/* The declaration of an abbreviation, behind its code; at the end if there is none. */
static struct bytes find_abbreviation(struct bytes table, uint64_t wanted)
{
    for (;;) {
        uint64_t code = leb128(&table);
        if (code == wanted || code == 0)
            return code == 0 ? (struct bytes){table.end, table.end} : table;
        leb128(&table);
        fixed(&table, 1);
        while (leb128(&table) | leb128(&table))
            ;
    }
}

/* Reads the entry whose code was read. */
static bool read_entry(const struct debug *debug, struct bytes *b, struct bytes abbreviation,
                       struct entry *entry)
{
    *entry = (struct entry){.tag = leb128(&abbreviation)};
    entry->has_children = fixed(&abbreviation, 1);
    for (;;) {
        uint64_t attribute = leb128(&abbreviation), form = leb128(&abbreviation), number;
        const char *string;
        if (attribute == 0 && form == 0)
            return entry->tag != 0;
        if (!read_form(debug, b, form, &number, &string))
            return false;
        if (attribute == AT_BYTE_SIZE)
            entry->size = number;
        if (attribute == AT_TYPE)
            entry->type = number;
        if (attribute == AT_NAME)
            entry->name = string;
        if (attribute == AT_LINKAGE_NAME)
            entry->linkage_name = string;
        if (attribute == AT_ABSTRACT_ORIGIN || attribute == AT_SPECIFICATION)
            entry->origin = number;
        entry->has_code |= attribute == AT_LOW_PC || attribute == AT_RANGES;
    }
}

/* ---- which structures count ---- */

static bool is_in(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

static bool is_vector_type(const char *name)
{
    static const char *const elements[] = {"char",  "uchar",  "short", "ushort",   "int",
                                           "uint",  "long",   "ulong", "longlong", "ulonglong",
                                           "float", "double", NULL};
    char element[16];
    size_t length = strlen(name);

    if (length < 2 || length > sizeof element || name[length - 1] < '1' || name[length - 1] > '4')
        return false;
    memcpy(element, name, length - 1);
    element[length - 1] = '\0';
    return is_in(element, elements);
}

/* A structure without a name may be named by a typedef, as the linker knows it: 4Best is Best. */
static const char *name_of(const struct entry *entry)
{
    if (!entry->name && entry->linkage_name)
        return entry->linkage_name + strspn(entry->linkage_name, "0123456789");
    return entry->name;
}

/* One of the C library's headers, in which others lie that have no name. */
static bool is_of_c_library(const struct entry *entry)
{
    static const char names[] =
        " div_t ldiv_t lldiv_t imaxdiv_t timespec timeval timezone tm sched_param"
        " __mbstate_t _G_fpos_t _G_fpos64_t __atomic_wide_counter pthread_mutex_t"
        " pthread_cond_t pthread_mutexattr_t pthread_condattr_t pthread_barrierattr_t"
        " pthread_rwlockattr_t __pthread_mutex_s __pthread_cond_s"
        " __pthread_rwlock_arch_t __pthread_internal_list __pthread_internal_slist ";
    const char *name = name_of(entry);
    size_t length = name ? strlen(name) : 0;

    for (const char *at = names; length && (at = strstr(at, name)) != NULL; at++)
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

/* Of the program's own? */
static bool is_own(const struct entry *entry)
{
    const char *name = name_of(entry);

    return !name || (name[0] != '<' && !is_vector_type(name));
}

static bool is_structure(const struct entry *entry)
{
    return entry->tag == TAG_STRUCTURE || entry->tag == TAG_CLASS || entry->tag == TAG_UNION;
}

/* A namespace of the libraries, whose structures do not count. */
static bool is_library(const struct entry *entry)
{
    static const char *const names[] = {"std", "simt", "__gnu_cxx", "__cxxabiv1", NULL};

    return entry->tag == TAG_NAMESPACE && entry->name && is_in(entry->name, names);
}

/* ---- units ---- */

/* Is a structure with this name, of a library's namespace, one that kernels keep in memory? */
static bool is_value_of_library(const char *name)
{
    return name && (strncmp(name, "complex<", 8) == 0 || strncmp(name, "array<", 6) == 0);
}

/* What a function returns, and what a type is another name of: an entry, as far as that takes. */
struct link {
    uint64_t offset, type, origin;
    uint64_t within;   /* the function that it lies in, 0: none */
    unsigned accessed; /* of a structure of the program's own that one access may copy: its size */
    bool is_structure; /* one that counts */
    bool is_code;      /* a function that is called, and not only inlined */
    bool is_library;
};

/* Those of a unit, in the order of their offsets. */
struct links {
    struct link *at;
    size_t count;
    bool full; /* no memory for more */
};

static void add_link(struct links *links, struct link link)
{
    size_t n = links->count;

    if ((n & (n - 1)) == 0) { /* a power of two: as many again */
        struct link *larger = realloc(links->at, (n ? 2 * n : 1) * sizeof *links->at);
        if (!larger) {
            links->full = true;
            return;
        }
        links->at = larger;
    }
    links->at[links->count++] = link;
}

static int by_offset(const void *x, const void *y)
{
    const struct link *a = x, *b = y;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static const struct link *find_link(const struct links *links, uint64_t offset)
{
    const struct link wanted = {.offset = offset};

    return offset ? bsearch(&wanted, links->at, links->count, sizeof wanted, by_offset) : NULL;
}

/* Is it a function of a library's, which is written down elsewhere? */
static bool is_library_function(const struct links *links, uint64_t offset)
{
    const struct link *at = find_link(links, offset);

    while (at && !at->is_library && at->origin)
        at = find_link(links, at->origin);
    return at && at->is_library;
}

/* Sizes of structures that one access may copy. Those in a function of a library's do not count:
 * each launch has one of ours. */
static unsigned sizes_of(const struct links *links)
{
    unsigned sizes = 0;

    for (size_t i = 0; i < links->count; i++)
        if (!is_library_function(links, links->at[i].within))
            sizes |= links->at[i].accessed;
    return links->full ? ALL_SIZES : sizes;
}

/* Does the function return a structure that counts, by whatever name? */
static bool returns_structure(const struct links *links, const struct link *function)
{
    enum { MOST_NAMES = 32 };
    const struct link *at = function;

    while (at && !at->type && at->origin && !at->is_library)
        at = find_link(links, at->origin);
    if (!at || at->is_library)
        return false;
    at = find_link(links, at->type);
    for (int i = 0; at && !at->is_structure && i < MOST_NAMES; i++)
        at = find_link(links, at->type);
    return at && at->is_structure;
}

static bool one_returns_structure(const struct links *links)
{
    if (links->full)
        return true;
    for (size_t i = 0; i < links->count; i++)
        if (links->at[i].is_code && returns_structure(links, &links->at[i]))
            return true;
    return false;
}

/* What is known of one unit, or of all: see types_may_be_structure, types_may_return_structure. */
struct known {
    unsigned sizes;
    bool returns;
};

static bool is_link(const struct entry *entry)
{
    return entry->tag == TAG_SUBPROGRAM || entry->tag == TAG_TYPEDEF || entry->tag == TAG_CONST ||
           entry->tag == TAG_VOLATILE || is_structure(entry);
}

/* Reads the entries of one unit, the offsets of which count from `base`. */
static struct known read_unit(const struct debug *debug, struct bytes unit,
                              const unsigned char *base, struct bytes abbreviations,
                              struct links *links)
{
    enum { NOWHERE = -1 };
    int depth = 0, library = NOWHERE, within = NOWHERE; /* how deep these begin */
    uint64_t function = 0;                              /* the one that it is within */
    struct entry entry;

    while (unit.at < unit.end) {
        uint64_t offset = (uint64_t)(unit.at - base), code = leb128(&unit);
        if (code == 0) {
            depth--;
            if (depth <= library)
                library = NOWHERE;
            if (depth <= within)
                within = NOWHERE, function = 0;
            continue;
        }
        if (!read_entry(debug, &unit, find_abbreviation(abbreviations, code), &entry))
            return (struct known){ALL_SIZES, true};
        bool one_access = entry.size <= MOST && (entry.size & (entry.size - 1)) == 0;
        bool in_library = library != NOWHERE, structure = is_structure(&entry);
        bool own = structure && !in_library && !is_of_c_library(&entry) && is_own(&entry);
        if (is_link(&entry))
            add_link(links,
                     (struct link){offset, entry.type, entry.origin, function,
                                   own && one_access ? (unsigned)entry.size : 0,
                                   structure && (!in_library || is_value_of_library(entry.name)),
                                   entry.has_code, in_library});
        bool begins = is_library(&entry) || (structure && is_of_c_library(&entry));
        if (library == NOWHERE && begins && entry.has_children)
            library = depth;
        if (within == NOWHERE && entry.tag == TAG_SUBPROGRAM && entry.has_children)
            within = depth, function = offset;
        depth += entry.has_children;
    }
    return (struct known){sizes_of(links), one_returns_structure(links)};
}

static struct known read_units(const struct debug *debug)
{
    enum { VERSION = 4 };
    struct known known = {0, false};
    struct bytes info = debug->info;

    while (info.at < info.end) {
        const unsigned char *base = info.at;
        uint64_t length = fixed(&info, 4);
        struct bytes unit = info;
        skip(&info, length);
        unit.end = info.at;
        if (fixed(&unit, 2) != VERSION)
            continue;
        struct bytes abbreviations = debug->abbreviations;
        skip(&abbreviations, fixed(&unit, 4));
        fixed(&unit, 1);
        struct links links = {NULL, 0, false};
        struct known more = read_unit(debug, unit, base, abbreviations, &links);
        free(links.at);
        known.sizes |= more.sizes;
        known.returns |= more.returns;
    }
    return known;
}

/* ---- the program's file ---- */

static struct bytes find_section(const unsigned char *file, const char *name)
{
    const ElfW(Ehdr) *header = (const void *)file;
    const ElfW(Shdr) *section = (const void *)(file + header->e_shoff);
    const char *names = (const char *)file + section[header->e_shstrndx].sh_offset;

    for (int i = 0; i < header->e_shnum; i++)
        if (strcmp(names + section[i].sh_name, name) == 0 &&
            !(section[i].sh_flags & SHF_COMPRESSED))
            return (struct bytes){file + section[i].sh_offset,
                                  file + section[i].sh_offset + section[i].sh_size};
    return (struct bytes){NULL, NULL};
}

static struct known read_file(const unsigned char *file)
{
    struct debug debug = {find_section(file, ".debug_info"), find_section(file, ".debug_abbrev"),
                          find_section(file, ".debug_str")};

    return debug.info.at && debug.abbreviations.at ? read_units(&debug)
                                                   : (struct known){ALL_SIZES, true};
}

static struct known known = {ALL_SIZES, true};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_program(void)
{
    struct stat info;
    int fd = open("/proc/self/exe", O_RDONLY);

    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0) {
        void *file = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (file != MAP_FAILED) {
            known = read_file(file);
            munmap(file, (size_t)info.st_size);
        }
    }
    close(fd);
}

bool types_may_be_structure(unsigned size)
{
    pthread_once(&once, read_program);
    return (known.sizes & size) != 0;
}

bool types_may_return_structure(void)
{
    pthread_once(&once, read_program);
    return known.returns;
}
