/* Asks addr2line for source lines, and keeps its answers. */
#define _GNU_SOURCE
#include "watch/source.h"
#include "run/end.h"
#include "run/symbols.h"
#include "watch/code.h"

#include <ctype.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct known_line {
    uint32_t pc;
    struct source_line place;
    struct source_line *frame; /* in each function inlined there, from the innermost out */
    size_t frames;
} * known;
static size_t known_count;

static const struct source_line nowhere = {"?", 0};

static const struct known_line *find_known(uint32_t pc)
{
    for (size_t i = 0; i < known_count; i++)
        if (known[i].pc == pc)
            return &known[i];
    return NULL;
}

/* The same text once, for the life of the program. */
static const char *intern(const char *text)
{
    for (size_t i = 0; i < known_count; i++)
        for (size_t k = 0; k < known[i].frames; k++)
            if (strcmp(known[i].frame[k].file, text) == 0)
                return known[i].frame[k].file;
    return strdup(text);
}

static bool is_ours(const char *file)
{
    const char *place = strstr(file, "simt/include/");
    return place && (place == file || place[-1] == '/');
}

/* A header of the C++ library's? */
static bool is_librarys(const char *file)
{
    return strstr(file, "/include/c++/") != NULL;
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

static void *larger(void *array, size_t bytes)
{
    void *memory = realloc(array, bytes);

    if (!memory)
        end_fatal("no memory for source lines");
    return memory;
}

static void add_frame(struct known_line *line, struct source_line place)
{
    place.file = intern(place.file);
    line->frame = larger(line->frame, (line->frames + 1) * sizeof *line->frame);
    line->frame[line->frames++] = place;
    bool better = is_librarys(line->place.file) && !is_librarys(place.file);
    if (!is_ours(place.file) && (line->place.line == 0 || better))
        line->place = place;
}

/* Reads the answers: for each address a line "0x…", then its frames from the innermost out. */
static void read_answers(FILE *answers, const uint32_t *pcs, size_t count)
{
    char text[4096];
    size_t asked = 0;

    known = larger(known, (known_count + count) * sizeof *known);
    while (fgets(text, sizeof text, answers)) {
        text[strcspn(text, "\n")] = '\0';
        if (strncmp(text, "0x", 2) != 0 && asked > 0)
            add_frame(&known[known_count - 1], parse_frame(text));
        else if (asked < count)
            known[known_count++] = (struct known_line){.pc = pcs[asked++], .place = nowhere};
    }
}

/* A shell takes a command of up to 128 KiB. */
enum { MOST_ASKED = 4096 };

static void ask_addr2line(const uint32_t *pcs, size_t count)
{
    char *command = larger(NULL, MOST_ASKED * 20 + 100);
    int length =
        sprintf(command, "exec 2>/dev/null addr2line -i -a -e /proc/%d/exe", (int)getpid());

    for (size_t i = 0; i < count; i++) /* a return address belongs to the instruction before */
        length += sprintf(command + length, " 0x%lx", (unsigned long)code_address(pcs[i]) - 1);
    FILE *answers = popen(command, "r");
    if (answers) {
        read_answers(answers, pcs, count);
        pclose(answers);
    }
    free(command);
}

void source_lines(const uint32_t *pcs, size_t count, struct source_line *lines)
{
    uint32_t *unknown = malloc((count + 1) * sizeof *unknown);
    size_t unknown_count = 0;

    if (!unknown)
        end_fatal("no memory for source lines");
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        if (!find_known(pcs[i]))
            unknown[unknown_count++] = pcs[i];
    for (size_t i = 0; i < unknown_count; i += MOST_ASKED)
        ask_addr2line(unknown + i, unknown_count - i < MOST_ASKED ? unknown_count - i : MOST_ASKED);
    for (size_t i = 0; i < count; i++) {
        const struct known_line *line = find_known(pcs[i]);
        lines[i] = line ? line->place : nowhere;
    }
    pthread_mutex_unlock(&lock);
    free(unknown);
}

struct source_line source_line_at(uint32_t pc)
{
    struct source_line line;
    source_lines(&pc, 1, &line);
    return line;
}

struct source_line source_of_host(uint32_t pc)
{
    struct source_line line = source_line_at(pc), lines[64];
    uint32_t pcs[64] = {0};
    void *frame[64];

    if (!is_librarys(line.file))
        return line;
    int count = backtrace(frame, 64);
    for (int i = 0; i < count; i++)
        pcs[i] = code_offset(frame[i]);
    source_lines(pcs, (size_t)count, lines);
    for (int i = 0; i < count; i++)
        if (lines[i].line > 0 && !is_librarys(lines[i].file))
            return lines[i];
    return line;
}

/* Frames in our headers stand for the line that used them. */
static bool frames_differ(const struct known_line *a, const struct known_line *b,
                          struct source_line lines[2])
{
    for (size_t i = 1; i <= a->frames && i <= b->frames; i++) {
        struct source_line x = a->frame[a->frames - i], y = b->frame[b->frames - i];
        if (x.line == y.line && strcmp(x.file, y.file) == 0)
            continue;
        if (!is_ours(x.file) && !is_ours(y.file)) {
            lines[0] = x;
            lines[1] = y;
        }
        return true;
    }
    return a->frames != b->frames;
}

bool source_differ(uint32_t one, uint32_t other, struct source_line lines[2])
{
    source_lines((uint32_t[]){one, other}, 2, lines);
    pthread_mutex_lock(&lock);
    const struct known_line *a = find_known(one), *b = find_known(other);
    bool differ = a && b && frames_differ(a, b, lines);
    pthread_mutex_unlock(&lock);
    return differ;
}

const char *source_text(struct source_line place, char *text, size_t room)
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

/* ---- kernels ---- */

/* "void ns::add<float>(float*, int)" to "ns::add<float>". */
static void strip_signature(char *text)
{
    char *end = strrchr(text, ')'), *begin;
    int depth = 0;

    for (; end && end > text; end--) { /* to the parenthesis that opens the parameters */
        depth += *end == ')' ? 1 : *end == '(' ? -1 : 0;
        if (depth == 0)
            break;
    }
    if (end && end > text)
        *end = '\0';
    for (begin = text + strlen(text), depth = 0; begin > text; begin--) {
        char before = begin[-1];
        depth += before == '>' || before == ')' ? 1 : before == '<' || before == '(' ? -1 : 0;
        if (before == ' ' && depth == 0)
            break;
    }
    memmove(text, begin, strlen(begin) + 1);
}

/* "" if the program's table has none. */
static void function_name(const void *function, char *name, size_t room)
{
    const struct symbol *symbol = symbols_below(SYMBOL_FUNCTION, (uintptr_t)function);
    bool found = symbol && symbol->begin == (uintptr_t)function;
    char *text = found ? symbols_demangled(symbol->mangled) : NULL;

    if (text)
        strip_signature(text);
    snprintf(name, room, "%s", text ? text : "");
    free(text);
}

const char *source_kernel(const struct simt_site *site, char *name, size_t room)
{
    const char *instance = site->within ? strstr(site->within, "[with ") : NULL;

    name[0] = '\0';
    if (site->function)
        function_name(site->function, name, room);
    if (instance && !name[0])
        snprintf(name, room, "%s [%s", site->kernel, instance + strlen("[with "));
    else if (!name[0])
        snprintf(name, room, "%s", site->kernel);
    return name;
}
