/* A program of the lab: its lines, what its header comment says, and what it is called. */
#define _GNU_SOURCE
#include "program.h"

#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("make diff: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(2);
}

/* ---- a main.cu ---- */

/* The whole file as a string; its lines end in 0 instead of a line feed afterwards. */
static char *file_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        die("%s: cannot be read", path);
    size_t length = 0, room = 1 << 16;
    char *text = zeroed(room, 1);
    for (size_t got; (got = fread(text + length, 1, room - length - 1, file)) > 0;) {
        length += got;
        if (length + 1 == room && !(text = realloc(text, room *= 2)))
            die("%s: too large", path);
    }
    text[length] = 0;
    fclose(file);
    return text;
}

/* The number of bytes of the UTF-8 letter that begins there; 0: none does. */
static size_t letter(const unsigned char *at)
{
    size_t length = *at < 0x80 ? 1 : *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc2 ? 2 : 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return *at > 0xf4 ? 0 : length;
}

/* Replaces control characters, which a terminal would obey, by question marks. */
static void clean(const char *path, char *line)
{
    for (unsigned char *at = (unsigned char *)line; *at;) {
        size_t length = letter(at);
        if (!length)
            die("%s: is not a text file", path);
        if ((*at < ' ' && *at != '\t') || *at == 127)
            *at = '?';
        at += length;
    }
}

static void split_lines(struct program *program)
{
    char *text = file_text(program->path);
    size_t most = 1;
    for (const char *c = text; *c; c++)
        most += *c == '\n';
    program->lines = zeroed(most, sizeof *program->lines);
    for (char *line = text, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        line[strcspn(line, "\r")] = 0;
        clean(program->path, line);
        program->lines[program->count].text = line;
        program->lines[program->count].number = (int)program->count + 1;
        program->count++;
    }
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* The lines of its first comment, if it begins with one. */
static void find_header(struct program *program)
{
    if (!program->count || strncmp(program->lines[0].text, "/*", 2) != 0)
        return;
    while (program->header < program->count &&
           !ends_with(program->lines[program->header++].text, "*/"))
        ;
}

/* The header's first paragraph in one line, without the comment's signs. */
static void first_paragraph(const struct program *program, char *text, size_t room)
{
    size_t length = 0;
    for (size_t i = 0; i < program->header; i++) {
        const char *line = program->lines[i].text + strspn(program->lines[i].text, " /*");
        if (!*line && length)
            break;
        for (; *line && strncmp(line, "*/", 2) != 0 && length + 2 < room; line++)
            if (*line != ' ' || (length && text[length - 1] != ' '))
                text[length++] = *line;
        if (length && text[length - 1] != ' ')
            text[length++] = ' ';
    }
    text[length] = 0;
}

/* Whether a title such as "Step 03" or "Grid stride" only says what the program is called. */
static bool is_name(const char *title, size_t length, const char *key)
{
    char name[64] = "";
    for (size_t i = 0; i < length && i + 1 < sizeof name; i++)
        name[i] = title[i] == ' '                      ? '-'
                  : title[i] >= 'A' && title[i] <= 'Z' ? title[i] + 32
                                                       : title[i];
    return strncmp(name, key, strlen(key)) == 0 || strncmp(name, "step-", 5) == 0;
}

/* The first sentence, without the program's name in front of it. */
static void find_idea(struct program *program)
{
    char text[sizeof program->idea];
    first_paragraph(program, text, sizeof text);
    char *end = strstr(text, ". "), *start = text;
    if (!end)
        return;
    *end = 0;
    char *colon = strstr(text, ": ");
    if (colon && is_name(text, (size_t)(colon - text), program->key))
        start = colon + 2;
    if (start[0] >= 'A' && start[0] <= 'Z' && start[1] >= 'a' && start[1] <= 'z')
        start[0] += 32;
    strcpy(program->idea, start);
}

/* key_of: steps/03-x/main.cu is 03, detours/x/main.cu is x. */
static void key_of(const char *path, char *key, size_t room)
{
    const char *folder = strchr(path, '/') + 1;
    size_t length = strncmp(path, "steps/", 6) == 0 ? 2 : strcspn(folder, "/");
    snprintf(key, room, "%.*s", (int)length, folder);
}

struct program program_at(const char *path)
{
    struct program program = {.path = path};
    if (strchr(path, '/'))
        key_of(path, program.key, sizeof program.key);
    split_lines(&program);
    find_header(&program);
    find_idea(&program);
    return program;
}

/* ---- names that a user types ---- */

static glob_t known; /* paths of all programs */

/* Whether a name is that of the program at path: 03, step03, 03-its-folder, grid-stride. */
static bool is_called(const char *path, const char *name)
{
    char key[64];
    key_of(path, key, sizeof key);
    const char *folder = strchr(path, '/') + 1;
    size_t length = strcspn(folder, "/");
    return strcmp(name, key) == 0 ||
           (strlen(name) == length && strncmp(name, folder, length) == 0) ||
           (strncmp(path, "steps/", 6) == 0 && strncmp(name, "step", 4) == 0 &&
            strcmp(name + 4, key) == 0);
}

static const char *path_of(const char *name)
{
    for (size_t i = 0; i < known.gl_pathc; i++)
        if (is_called(known.gl_pathv[i], name))
            return known.gl_pathv[i];
    return NULL;
}

void find_pair(const char *words, const char *paths[2])
{
    glob("steps/*/main.cu", 0, NULL, &known);
    glob("detours/*/main.cu", GLOB_APPEND, NULL, &known);
    glob("own/*/main.cu", GLOB_APPEND, NULL, &known);
    for (const char *dash = words; (dash = strchr(dash, '-')); dash++) {
        char *old = strndup(words, (size_t)(dash - words));
        paths[0] = path_of(old);
        paths[1] = path_of(dash + 1);
        free(old);
        if (paths[0] && paths[1])
            return;
    }
    fputs("make diff: ", stderr);
    for (const char *c = words; *c; c++)
        fputc(*c >= ' ' && *c != 127 ? *c : '?', stderr);
    fputs(": want two of", stderr);
    for (size_t i = 0; i < known.gl_pathc; i++) {
        char key[64];
        key_of(known.gl_pathv[i], key, sizeof key);
        fprintf(stderr, " %s", key);
    }
    fputs(", as in 02-03\n", stderr);
    exit(2);
}
