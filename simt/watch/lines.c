/* Prints what was counted by source line: as CSV, and beside the source. A branch is counted at its
 * own line, that of the jump at the end of its basic block, which objdump finds in the machine
 * code.
 */
#define _GNU_SOURCE
#include "watch/source.h"
#include "watch/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* One operation on a line. */
struct counted_line {
    struct source_line place;
    struct counter sum;
};

/* ---- branches ---- */

/* Offsets behind the jumps at the ends of the program's basic blocks, in their order. */
static struct {
    uint32_t *behind;
    size_t count, room;
    bool known;
} jumps;

/* Is it an instruction of x86-64 or aarch64 that goes on at one of several places? */
static bool is_jump(const char *text)
{
    static const char *const names[] = {"j", "b.", "br\t", "cbz", "cbnz", "tbz", "tbnz"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0)
            return strncmp(text, "jmp", 3) != 0 || strchr(text, '*');
    return false;
}

/* Where the program's own code begins and ends (compile/guard.c). */
extern char simt_text_before[] __attribute__((weak)), simt_text_after[] __attribute__((weak));

/* Of several jumps between two blocks' hooks it is the last: others lead around calls within the
 * block. There are none where objdump is not to be had. */
static void find_jumps(void)
{
    char tool[160], line[512];
    bool jumped = false, ends = false; /* just now; already since the last hook */

    snprintf(tool, sizeof tool,
             "objdump -d --no-show-raw-insn --start-address=%p --stop-address=%p",
             (void *)simt_text_before, (void *)simt_text_after);
    FILE *code = source_tool(tool, "");
    while (code && fgets(line, sizeof line, code)) {
        char *text;
        const void *address = (void *)strtoul(line, &text, 16);
        if (*text != ':' || text == line)
            continue;
        if (jumped) {
            jumps.count -= ends;
            array_room((void **)&jumps.behind, jumps.count, &jumps.room, SIZE_MAX,
                       sizeof *jumps.behind);
            jumps.behind[jumps.count++] = code_offset(address);
        }
        ends = (ends || jumped) && !strstr(line, "<__sanitizer_cov_trace_pc>");
        jumped = is_jump(text + strspn(text, ":\t "));
    }
    if (code)
        pclose(code);
    jumps.known = true;
}

/* Behind the last hook of a basic block its end may lie so far. */
enum { MAX_BLOCK = 512 };

/* The pc to look up. Of a branch the log knows only the last hook before it. */
static uint32_t place_of(const struct counter *c)
{
    size_t i = 0;

    if (c->space != SPACE_CONTROL)
        return c->pc;
    if (!jumps.known)
        find_jumps();
    while (i < jumps.count && jumps.behind[i] <= c->pc)
        i++;
    return i < jumps.count && jumps.behind[i] < c->pc + MAX_BLOCK ? jumps.behind[i] : c->pc;
}

/* ---- lines ---- */

static int by_place(const void *a, const void *b)
{
    const struct counted_line *x = a, *y = b;
    int files = strcmp(x->place.file, y->place.file);

    if (files != 0)
        return files;
    if (x->place.line != y->place.line)
        return x->place.line - y->place.line;
    return x->sum.space != y->sum.space ? x->sum.space - y->sum.space : x->sum.kind - y->sum.kind;
}

/* What a table has counted, added up by source line, space and operation, and sorted by these. The
 * caller frees. */
static struct counted_line *lines_of(const struct count_table *table, size_t *count)
{
    struct counted_line *rows = malloc((count_of(table) + 1) * sizeof *rows);
    uint32_t *pcs = malloc((count_of(table) + 1) * sizeof *pcs);
    size_t n = 0, last = 0;

    if (!rows || !pcs)
        array_no_memory();
    for (size_t i = 0; i < count_of(table); i++)
        if (count_is_worth_telling(count_at(table, i))) {
            pcs[n] = place_of(count_at(table, i));
            rows[n++].sum = *count_at(table, i);
        }
    source_ask(pcs, n);
    for (size_t i = 0; i < n; i++)
        rows[i].place = source_line_at(pcs[i]);
    free(pcs);
    qsort(rows, n, sizeof *rows, by_place);
    for (size_t i = 1; i < n; i++)
        if (by_place(&rows[last], &rows[i]) == 0)
            count_sum(&rows[last].sum, &rows[i].sum);
        else
            rows[++last] = rows[i];
    *count = n ? last + 1 : 0;
    return rows;
}

/* ---- as CSV ---- */

void lines_print_csv(FILE *file, const struct counted_launch *launches, size_t count,
                     const char *step)
{
    char grid[SIZE_TEXT], block[SIZE_TEXT];
    size_t rows;

    fprintf(file, "step,launch,grid,block,file,line,space,op,requests,lanes,sectors,wavefronts,"
                  "bank_conflicts\n");
    for (size_t i = 0; i < count; i++) {
        struct counted_line *row = lines_of(&launches[i].table, &rows);
        for (size_t r = 0; r < rows; r++) {
            const struct counter *c = &row[r].sum;
            fprintf(file, "%s,%zu,%s,%s,%s,%d,%s,%s,%llu,%llu,", step, i + 1,
                    size_text(launches[i].grid, grid), size_text(launches[i].block, block),
                    row[r].place.file, row[r].place.line, count_space_names[c->space],
                    count_operation_names[c->kind], (unsigned long long)c->requests,
                    (unsigned long long)c->lanes);
            if (c->space == SPACE_GLOBAL)
                fprintf(file, "%llu", (unsigned long long)c->sectors);
            if (c->space == SPACE_SHARED)
                fprintf(file, ",%llu,%llu\n", (unsigned long long)c->wavefronts,
                        (unsigned long long)c->bank_conflicts);
            else
                fprintf(file, ",,\n");
        }
        free(row);
    }
}

/* ---- beside the source ---- */

/* A copy with blanks up to the next of every 8 columns instead of tabs. The caller frees. */
static char *without_tabs(const char *text)
{
    char *copy = malloc(8 * strlen(text) + 1);
    size_t used = 0;

    if (!copy)
        array_no_memory();
    for (; *text; text++)
        do
            copy[used++] = *text == '\t' ? ' ' : *text;
        while (*text == '\t' && used % 8);
    copy[used] = '\0';
    return copy;
}

/* The part of a file to show: from the line of the kernel's (or device function's) head before the
 * first counted line to the closing brace behind the last. */
static void widen_range(const struct source_file *source, size_t *first, size_t *last)
{
    while (*first > 1 && !strstr(source->line[*first - 1], "__global__") &&
           !strstr(source->line[*first - 1], "__device__"))
        --*first;
    while (*last < source->lines && (*last == 0 || source->line[*last - 1][0] != '}'))
        ++*last;
}

/* How wide the figures of an operation are. A terminal shows them shorter, so that the source
 * beside them has room. */
enum { WIDE = 35, NARROW = 32 };

static const char *figures_text(const struct counter *c, bool narrow, char text[80])
{
    char name[32], lanes[16] = "", cost[16] = "";
    double requests = (double)c->requests;
    bool memory = c->space <= SPACE_SHARED;
    int digits = narrow ? 1 : 2;

    snprintf(name, sizeof name, "%s%s%s", memory ? count_space_names[c->space] : "",
             memory ? " " : "", count_operation_names[c->kind]);
    if (c->space == SPACE_CONTROL)
        snprintf(narrow ? cost : lanes, sizeof lanes, "%.1f%%", 100 * (double)c->lanes / requests);
    else
        snprintf(lanes, sizeof lanes, "%.*f", digits, (double)c->lanes / requests);
    if (c->space == SPACE_GLOBAL)
        snprintf(cost, sizeof cost, "%.*fs", digits, (double)c->sectors / requests);
    else if (c->space == SPACE_SHARED)
        snprintf(cost, sizeof cost, "%.*fw", digits, (double)c->wavefronts / requests);
    if (narrow)
        snprintf(text, 80, "%s%*llu%6s%6s", name, 20 - (int)strlen(name),
                 (unsigned long long)c->requests, lanes, cost);
    else
        snprintf(text, 80, "%-13s%8llu%7s%7s", name, (unsigned long long)c->requests, lanes, cost);
    return text;
}

/* Of a terminal; 0 where lines may be of any length. */
static int columns_of(FILE *file)
{
    struct winsize size;

    return isatty(fileno(file)) && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* So much of a text goes into a line with room for so many bytes: up to its last blank there, or up
 * to the edge if that would leave nothing. */
static size_t fitting(const char *text, size_t room)
{
    size_t end = room;

    if (strlen(text) <= room)
        return strlen(text);
    while (end > 0 && text[end] != ' ')
        end--;
    if (end > strspn(text, " "))
        return end;
    for (end = room; ((unsigned char)text[end] & 0xC0) == 0x80;) /* within a character */
        end--;
    return end;
}

/* A line of the source beside the figures of its operations, from row to end; on a terminal of so
 * many columns its text goes on below, four columns deeper, where it is too long. */
static void print_annotated_line(FILE *file, const char *text, size_t number,
                                 const struct counted_line *row, const struct counted_line *end,
                                 int columns)
{
    int width = columns ? NARROW : WIDE, around = width + 6, hang = 0;
    int room = !columns ? (int)strlen(text) : columns > around + 20 ? columns - around : 20;
    int indent = (int)strspn(text, " ");
    char figures[80];

    for (bool first = true; first || row < end || *text; first = false) {
        fprintf(file, "%-*s |", width,
                row < end ? figures_text(&row->sum, columns > 0, figures) : "");
        row += row < end;
        if (first)
            fprintf(file, "%3zu ", number);
        else if (*text)
            fprintf(file, "%*s", 4 + hang, "");
        int used = (int)fitting(text, (size_t)(room - hang));
        fprintf(file, "%.*s\n", used, text);
        text += used + strspn(text + used, " ");
        hang = indent + 4 < room / 2 ? indent + 4 : room / 2;
    }
}

/* The rows from begin to end, which are of one file. */
static void annotate_file(FILE *file, const struct counted_line *begin,
                          const struct counted_line *end, size_t launches)
{
    const struct source_file *source = source_file(begin->place.file);
    size_t first = (size_t)begin->place.line, last = (size_t)end[-1].place.line;
    int columns = columns_of(file);

    if (source->lines < last) {
        fprintf(file, "%s: cannot be read\n", begin->place.file);
        return;
    }
    widen_range(source, &first, &last);
    fprintf(file, "%s, launches: %zu\n", begin->place.file, launches);
    fprintf(file, "lanes, s(ectors), w(avefronts): per request\n");
    fprintf(file, "%% of branches: all active lanes of the warp go the same way\n");
    fprintf(file, columns ? "%-12s%8s%6s%6s |\n" : "%-13s%8s%7s%7s |\n", "operation", "requests",
            "lanes", "cost");
    for (size_t i = first > 0 ? first : 1; i <= last; i++) {
        const struct counted_line *row = begin;
        while (begin < end && begin->place.line <= (int)i)
            begin++;
        char *text = without_tabs(source->line[i - 1]);
        print_annotated_line(file, text, i, row, begin, columns);
        free(text);
    }
}

void lines_annotate(FILE *file, const struct counted_launch *launches, size_t count)
{
    struct count_table all = {0};
    size_t rows, end;

    for (size_t i = 0; i < count; i++)
        count_add(&all, &launches[i].table);
    struct counted_line *row = lines_of(&all, &rows);
    for (size_t begin = 0; begin < rows; begin = end) {
        for (end = begin; end < rows && strcmp(row[end].place.file, row[begin].place.file) == 0;)
            end++;
        annotate_file(file, row + begin, row + end, count);
    }
    free(row);
    count_free(&all);
}
