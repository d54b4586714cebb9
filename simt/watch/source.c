/* Asks addr2line for source lines, and keeps its answers. */
#include "watch/source.h"
#include "run/array.h"
#include "run/symbols.h"

#include <ctype.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* a crash may ask again */

/* The answer of addr2line for a pc. */
struct known_line {
    struct source_line place;  /* file NULL: it has not been asked yet */
    struct source_line *frame; /* the line in each function inlined there, from the innermost out */
    size_t frames, room;
};

static struct entries known; /* by pc */

static const struct source_line nowhere = {"?", 0};

static struct known_line *known_at(uint32_t pc)
{
    return entries_at(&known, sizeof(struct known_line), pc, 0);
}

static bool is_ours(const char *file)
{
    const char *place = strstr(file, "simt/include/");
    return place && (place == file || place[-1] == '/');
}

/* Is it a header of the C++ library? */
static bool is_librarys(const char *file)
{
    return strstr(file, "/include/c++/") != NULL;
}

/* The file as seen from the working folder, if it lies below that. Our own headers keep their whole
 * path, by which they are known. */
static char *relative(char *file)
{
    static char here[4096];
    size_t length;

    if (is_ours(file) || (!here[0] && !getcwd(here, sizeof here)))
        return file;
    length = strlen(here);
    return strncmp(file, here, length) == 0 && file[length] == '/' ? file + length + 1 : file;
}

/* Reads "file:line", which a remark may follow. */
static struct source_line parse_frame(char *text)
{
    char *colon = strrchr(text, ':');

    if (!colon || text[0] == '?' || !isdigit((unsigned char)colon[1]))
        return nowhere;
    *colon = '\0';
    return (struct source_line){relative(text), atoi(colon + 1)};
}

static void add_frame(struct known_line *line, struct source_line place)
{
    if (place.line > 0 && !(place.file = strdup(place.file)))
        array_no_memory();
    *ARRAY_ADD(line->frame, line->frames, line->room) = place;
    bool better = is_librarys(line->place.file) && !is_librarys(place.file);
    if (!is_ours(place.file) && (line->place.line == 0 || better))
        line->place = place;
}

/* Reads the answers: for each address a line "0x…" and its frames, from the innermost out. Returns
 * whether there were any. */
static bool read_answers(FILE *answers)
{
    struct known_line *line = NULL;
    char text[4096];

    while (fgets(text, sizeof text, answers)) {
        text[strcspn(text, "\n")] = '\0';
        if (strncmp(text, "0x", 2) == 0)
            line = known_at(code_offset((void *)(strtoul(text, NULL, 16) + 1)));
        else if (line)
            add_frame(line, parse_frame(text));
    }
    return line != NULL;
}

/* The tool reads the program by a descriptor, since the program's name may contain any character,
 * and /proc/PID/exe of an emulated program is the emulator. It is none that the tool writes to,
 * also where the program has no standard output. */
FILE *source_tool(const char *tool, const char *arguments)
{
    int self = open("/proc/self/exe", O_RDONLY), program = fcntl(self, F_DUPFD, 3);
    char *command;

    if (asprintf(&command, "exec 2>/dev/null %s /proc/self/fd/%d%s", tool, program, arguments) < 0)
        array_no_memory();
    FILE *answers = popen(command, "r");
    free(command);
    close(program);
    close(self);
    return answers;
}

void source_tool_end(FILE *answers, const char *tool, bool answered)
{
    static bool told;

    if (answers)
        pclose(answers);
    if (!answered && !told)
        fprintf(stderr, "simt: %s cannot be run: source lines are lost; install binutils\n", tool);
    told |= !answered;
}

/* A shell takes a command of up to 128 KiB. */
enum { MOST_ASKED = 4096 };

static void ask_addr2line(const uint32_t *pcs, size_t count)
{
    static char addresses[MOST_ASKED * 20];
    int length = 0;

    for (size_t i = 0; i < count; i++) {
        struct known_line *line = known_at(pcs[i]);
        if (line->place.file)
            continue;
        line->place = nowhere; /* - 1: a return address belongs to the instruction in front of it */
        length += sprintf(addresses + length, " 0x%lx", (unsigned long)code_address(pcs[i]) - 1);
    }
    if (length == 0)
        return;
    FILE *answers = source_tool("addr2line -i -a -e", addresses);
    source_tool_end(answers, "addr2line", answers && read_answers(answers));
}

void source_print_csv(FILE *file, const char *name)
{
    if (!name[strcspn(name, ",\"\n")]) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name; name++)
        fprintf(file, "%s%c", *name == '"' ? "\"" : "", *name);
    fputc('"', file);
}

void source_print_number(FILE *file, bool has, uint64_t number)
{
    fputc(',', file);
    if (has)
        fprintf(file, "%llu", (unsigned long long)number);
}

void source_ask(const uint32_t *pcs, size_t count)
{
    pthread_mutex_lock(&lock);
    for (; count > MOST_ASKED; pcs += MOST_ASKED, count -= MOST_ASKED)
        ask_addr2line(pcs, MOST_ASKED);
    ask_addr2line(pcs, count);
    pthread_mutex_unlock(&lock);
}

static struct known_line line_of(uint32_t pc)
{
    pthread_mutex_lock(&lock);
    ask_addr2line(&pc, 1);
    struct known_line line = *known_at(pc);
    if (!line.place.file) /* there is no addr2line */
        line.place = nowhere;
    pthread_mutex_unlock(&lock);
    return line;
}

struct source_line source_line_at(uint32_t pc)
{
    return line_of(pc).place;
}

size_t source_calls(uint32_t pc, struct source_line *call, size_t room)
{
    struct known_line line = line_of(pc);
    struct source_line last = line.place;
    size_t count = 0, i = 0;

    while (i < line.frames && !source_same(line.frame[i], last))
        i++;
    for (; i < line.frames && count < room; i++) {
        struct source_line next = line.frame[i];
        if (next.line > 0 && !source_same(next, last) && !is_ours(next.file) &&
            !is_librarys(next.file))
            call[count++] = last = next;
    }
    return count;
}

struct source_line source_of_host(uint32_t pc)
{
    struct source_line line = source_line_at(pc);
    uint32_t pcs[64] = {0};
    void *frame[64];

    if (!is_librarys(line.file))
        return line;
    int count = backtrace(frame, 64);
    for (int i = 0; i < count; i++)
        pcs[i] = code_offset(frame[i]);
    source_ask(pcs, (size_t)count);
    for (int i = 0; i < count; i++) {
        struct source_line caller = source_line_at(pcs[i]);
        if (caller.line > 0 && !is_librarys(caller.file))
            return caller;
    }
    return line;
}

/* Sets lines[] to those of the outermost function in which they differ, unless in our headers. */
static bool frames_differ(const struct known_line *a, const struct known_line *b,
                          struct source_line lines[2])
{
    for (size_t i = 1; i <= a->frames && i <= b->frames; i++) {
        struct source_line x = a->frame[a->frames - i], y = b->frame[b->frames - i];
        if (source_same(x, y))
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
    source_ask((uint32_t[]){one, other}, 2);
    struct known_line a = line_of(one), b = line_of(other);

    lines[0] = a.place;
    lines[1] = b.place;
    return frames_differ(&a, &b, lines);
}

/* ---- files ---- */

const struct source_file *source_file(const char *name)
{
    static struct source_file last;
    static char *text; /* of that file */
    static size_t size;

    if (last.name && strcmp(last.name, name) == 0)
        return &last;
    free(last.name);
    if (!(last.name = strdup(name)))
        array_no_memory();
    last.lines = 0;
    FILE *file = fopen(name, "r");
    char *rest = file && getdelim(&text, &size, '\0', file) > 0 ? text : NULL;
    while (rest && *rest)
        *ARRAY_ADD(last.line, last.lines, last.room) = strsep(&rest, "\n");
    if (file)
        fclose(file);
    return &last;
}

const char *source_text(struct source_line place, char *text, size_t room)
{
    const struct source_file *file = source_file(place.file);
    bool has = place.line > 0 && (size_t)place.line <= file->lines;
    const char *line = has ? file->line[place.line - 1] : "";

    if (snprintf(text, room, "%s", line + strspn(line, " \t")) >= (int)room) {
        char *end = text + room - sizeof "…";
        while (end > text && (*end & 0xc0) == 0x80) /* within a character */
            end--;
        strcpy(end, "…");
    }
    return text;
}

/* ---- kernels ---- */

/* Makes "ns::add<float>" of "void ns::add<float>(float*, int)": cuts at the parenthesis that opens
 * the parameters. Returns the begin of the name. */
static const char *strip_signature(char *text)
{
    int depth = 0;

    for (char *end = text + strlen(text); end-- > text;) {
        depth += *end == ')' ? 1 : *end == '(' ? -1 : 0;
        if (*end == '(' && depth == 0) {
            *end = '\0';
            break;
        }
    }
    return text + (strncmp(text, "void ", 5) == 0 ? 5 : 0); /* of an instance of a template */
}

const char *source_kernel(const struct simt_site *site)
{
    static _Thread_local char name[256];
    const char *instance = site->within ? strstr(site->within, "[with ") : NULL;
    const struct symbol *symbol = symbols_function((uintptr_t)site->function);
    char *function = symbol ? symbols_demangled(symbol->mangled) : NULL;

    if (function)
        snprintf(name, sizeof name, "%s", strip_signature(function));
    else if (instance)
        snprintf(name, sizeof name, "%s [%s", site->kernel, instance + strlen("[with "));
    else
        snprintf(name, sizeof name, "%s", site->kernel);
    free(function);
    return name;
}
