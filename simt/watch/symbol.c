/* Reads the running program's own file: debug lines through addr2line, shared variables from its
 * symbol table. */
#define _GNU_SOURCE
#include "watch/symbol.h"
#include "judge/report.h"

#include <ctype.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "watch/trace.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- source lines ---- */

static struct known_line {
    uint32_t pc;
    struct source_line place;
} * known;
static size_t known_count;

static const struct source_line nowhere = {"?", 0};

static const struct source_line *find_known(uint32_t pc)
{
    for (size_t i = 0; i < known_count; i++)
        if (known[i].pc == pc)
            return &known[i].place;
    return NULL;
}

/* The same text once, for the life of the program. */
static const char *intern(const char *text)
{
    for (size_t i = 0; i < known_count; i++)
        if (strcmp(known[i].place.file, text) == 0)
            return known[i].place.file;
    return strdup(text);
}

static bool is_ours(const char *file)
{
    const char *place = strstr(file, "simt/include/");
    return place && (place == file || place[-1] == '/');
}

/* The file as seen from the working folder, where it lies below it. */
static char *relative(char *file)
{
    static char here[4096];
    size_t length;

    if (!here[0] && !getcwd(here, sizeof here))
        return file;
    length = strlen(here);
    return strncmp(file, here, length) == 0 && file[length] == '/' ? file + length + 1 : file;
}

/* addr2line answers "file:line", perhaps with a remark behind. */
static struct source_line parse_frame(char *text)
{
    char *colon = strrchr(text, ':');

    if (!colon || text[0] == '?' || !isdigit((unsigned char)colon[1]))
        return nowhere;
    *colon = '\0';
    return (struct source_line){relative(text), atoi(colon + 1)};
}

static void remember(uint32_t pc, struct source_line place)
{
    struct known_line *larger = realloc(known, (known_count + 1) * sizeof *known);

    if (!larger)
        report_fatal("no memory for source lines");
    known = larger;
    place.file = intern(place.file);
    known[known_count++] = (struct known_line){pc, place};
}

/* Reads the answers: for each address a line "0x…", then its frames from the innermost out. */
static void read_answers(FILE *answers, const uint32_t *pcs, size_t count)
{
    char text[4096];
    size_t current = 0;
    bool found = true;

    while (fgets(text, sizeof text, answers)) {
        if (strncmp(text, "0x", 2) == 0) {
            if (!found)
                remember(pcs[current - 1], nowhere);
            if (current++ == count)
                return;
            found = false;
            continue;
        }
        text[strcspn(text, "\n")] = '\0';
        struct source_line place = parse_frame(text);
        if (found || current == 0 || is_ours(place.file) || place.line == 0)
            continue;
        remember(pcs[current - 1], place);
        found = true;
    }
    if (!found)
        remember(pcs[current - 1], nowhere);
}

/* The program's own path, for another process to open. */
static void own_path(char *path, size_t room)
{
    ssize_t length = readlink("/proc/self/exe", path, room - 1);
    path[length > 0 ? length : 0] = '\0';
}

static void ask_addr2line(const uint32_t *pcs, size_t count)
{
    char questions[] = "/tmp/simt-XXXXXX", path[4096], command[8192];
    int fd = mkstemp(questions);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (!file)
        return;
    for (size_t i = 0; i < count; i++) /* a return address belongs to the instruction before */
        fprintf(file, "0x%lx\n", (unsigned long)trace_address(pcs[i]) - 1);
    fclose(file);
    own_path(path, sizeof path);
    snprintf(command, sizeof command, "addr2line -i -a -e '%s' <%s 2>/dev/null", path, questions);
    FILE *answers = popen(command, "r");
    if (answers) {
        read_answers(answers, pcs, count);
        pclose(answers);
    }
    unlink(questions);
}

void symbol_lines(const uint32_t *pcs, size_t count, struct source_line *lines)
{
    uint32_t *unknown = malloc((count + 1) * sizeof *unknown);
    size_t unknown_count = 0;

    if (!unknown)
        report_fatal("no memory for source lines");
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        if (!find_known(pcs[i]))
            unknown[unknown_count++] = pcs[i];
    if (unknown_count > 0)
        ask_addr2line(unknown, unknown_count);
    for (size_t i = 0; i < count; i++) {
        const struct source_line *place = find_known(pcs[i]);
        lines[i] = place ? *place : nowhere;
    }
    pthread_mutex_unlock(&lock);
    free(unknown);
}

struct source_line symbol_line(uint32_t pc)
{
    struct source_line line;
    symbol_lines(&pc, 1, &line);
    return line;
}

const char *symbol_source(struct source_line place, char *text, size_t room)
{
    FILE *file = fopen(place.file, "r");
    char *line = NULL;
    size_t line_room = 0;

    text[0] = '\0';
    for (int i = 0; file && i < place.line; i++)
        if (getline(&line, &line_room, file) < 0)
            break;
        else if (i == place.line - 1)
            snprintf(text, room, "%s", line + strspn(line, " \t"));
    text[strcspn(text, "\n")] = '\0';
    free(line);
    if (file)
        fclose(file);
    return text;
}

/* ---- shared variables ---- */

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
        report_fatal("no memory for the names of shared variables");
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

const struct shared_variable *symbol_shared(size_t *count)
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

char *symbol_tls(size_t *size)
{
    struct tls tls = {0};
    dl_iterate_phdr(find_tls, &tls);
    *size = tls.size;
    return tls.begin;
}
