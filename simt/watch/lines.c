/* Prints counters by source line: as CSV, and beside the source. A branch is counted at its own
 * line, that of the jump at the end of its basic block, which objdump finds in the machine code. */
#include "run/block.h"
#include "run/end.h"
#include "watch/source.h"
#include "watch/count.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { CODE = 41 }; /* the column in which the source begins, behind figures and line number */

/* One operation on a line. */
struct counted_line {
    struct source_line place;
    struct counter sum;
};

/* ---- branches ---- */

/* The offsets behind the jumps that end the program's basic blocks, in their order. */
static struct {
    uint32_t *behind;
    size_t count, room;
    bool known;
} jumps;

/* Is it an instruction of x86-64 or aarch64 with several places to go on? */
static bool is_jump(const char *text)
{
    static const char *const names[] = {"j", "b.", "br\t", "cbz", "cbnz", "tbz", "tbnz"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0)
            return strncmp(text, "jmp", 3) != 0 || strchr(text, '*');
    return false;
}

/* Finds the jumps. Of several jumps between two basic blocks' hooks the last one counts; the others
 * lead around calls within the block. Finds none if there is no objdump. */
static void find_jumps(void)
{
    char tool[160], line[512];
    bool jumped = false; /* the last line was a jump */
    bool ends = false;   /* so was one since the last hook */
    bool answered = false;

    snprintf(tool, sizeof tool,
             "objdump -d --no-show-raw-insn --start-address=%p --stop-address=%p",
             (void *)simt_text_before, (void *)simt_text_after);
    FILE *code = source_tool(tool, "");
    while (code && fgets(line, sizeof line, code)) {
        char *text;
        const void *address = (void *)strtoul(line, &text, 16);
        answered = true;
        if (*text != ':' || text == line)
            continue;
        if (jumped) {
            jumps.count -= ends;
            *ARRAY_ADD(jumps.behind, jumps.count, jumps.room) = code_offset(address);
        }
        ends = (ends || jumped) && !strstr(line, "<__sanitizer_cov_trace_pc>");
        jumped = is_jump(text + strspn(text, ":\t "));
    }
    source_tool_end(code, "objdump", answered);
    jumps.known = true;
}

/* The end of a basic block lies at most so far behind its last hook. */
enum { MAX_BLOCK = 512 };

/* The pc whose line counts. Of a branch the log has the last hook, but the jump's line counts. */
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

/* The counters of so many launches, summed by source line, space and operation, and sorted by
 * these. The caller frees them. */
static struct counted_line *lines_of(const struct counted_launch *launches, size_t launch_count,
                                     size_t *count)
{
    size_t all = 1, n = 0, last = 0;

    for (size_t i = 0; i < launch_count; i++)
        all += launches[i].count;
    struct counted_line *rows = malloc(all * sizeof *rows);
    uint32_t *pcs = malloc(all * sizeof *pcs);
    if (!rows || !pcs)
        array_no_memory();
    for (size_t i = 0; i < launch_count; i++)
        for (size_t k = 0; k < launches[i].count; k++, n++) {
            rows[n].sum = launches[i].counter[k];
            pcs[n] = place_of(&rows[n].sum);
        }
    source_ask(pcs, n);
    for (size_t i = 0; i < n; i++)
        rows[i].place = source_line_at(pcs[i]);
    free(pcs);
    qsort(rows, n, sizeof *rows, by_place);
    for (size_t i = 1; i < n; i++)
        if (by_place(&rows[last], &rows[i]) == 0)
            count_sum(&rows[last].sum.cost, &rows[i].sum.cost);
        else
            rows[++last] = rows[i];
    *count = n ? last + 1 : 0;
    return rows;
}

/* ---- as CSV ---- */

void lines_print_csv(FILE *file, const struct counted_launch *launches, size_t count,
                     const char *step)
{
    size_t rows;

    fprintf(file, "step,launch,grid,block,file,line,space,op,requests,lanes,sectors,wavefronts,"
                  "bank_conflicts\n");
    for (size_t i = 0; i < count; i++) {
        struct counted_line *row = lines_of(&launches[i], 1, &rows);
        for (size_t r = 0; r < rows; r++) {
            const struct counter *c = &row[r].sum;
            fprintf(file, "%s,%zu,%s,%s,", step, i + 1, launch_size(launches[i].grid, "x").text,
                    launch_size(launches[i].block, "x").text);
            source_print_csv(file, row[r].place.file);
            fprintf(file, ",%d,%s,%s", row[r].place.line, count_space_names[c->space],
                    count_operation_names[c->kind]);
            source_print_number(file, true, c->cost.requests);
            source_print_number(file, true, c->cost.lanes);
            source_print_number(file, c->space == SPACE_GLOBAL, c->cost.sectors);
            source_print_number(file, c->space == SPACE_SHARED, c->cost.wavefronts);
            source_print_number(file, c->space == SPACE_SHARED, c->cost.bank_conflicts);
            fputc('\n', file);
        }
        free(row);
    }
}

/* ---- beside the source ---- */

/* Widens the lines of a file that are shown: from the head of the kernel or device function in
 * front of the first counted line to the closing brace behind the last one. */
static void widen_range(const struct source_file *source, size_t *first, size_t *last)
{
    while (*first > 1 && !strstr(source->line[*first - 1], "__global__") &&
           !strstr(source->line[*first - 1], "__device__"))
        --*first;
    while (*last < source->lines && (*last == 0 || source->line[*last - 1][0] != '}'))
        ++*last;
}

static void print_figures(FILE *file, const struct counter *c)
{
    char name[32], cost[16] = "";
    double requests = (double)c->cost.requests;
    bool memory = c->space <= SPACE_SHARED;
    uint64_t costs = c->space == SPACE_GLOBAL ? c->cost.sectors : c->cost.wavefronts;

    snprintf(name, sizeof name, "%s%s%s", memory ? count_space_names[c->space] : "",
             memory ? " " : "", count_operation_names[c->kind]);
    fprintf(file, "%-13s%8llu", name, (unsigned long long)c->cost.requests);
    if (memory)
        snprintf(cost, sizeof cost, "%.2f%c", (double)costs / requests,
                 c->space == SPACE_GLOBAL ? 's' : 'w');
    if (c->space == SPACE_CONTROL)
        fprintf(file, "%6.1f%%%7s |", 100 * (double)c->cost.lanes / requests, cost);
    else
        fprintf(file, "%7.2f%7s |", (double)c->cost.lanes / requests, cost);
}

/* The terminal's columns; 80 where the file is no terminal. */
static size_t columns_of(FILE *file)
{
    struct winsize size = {0};

    return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* The number of bytes of a text that fit into so many columns. A text that does not fit is broken
 * at its last blank there. */
static size_t fitting(const char *text, size_t columns)
{
    size_t length = 0, blank = 0;

    for (size_t column = 0; text[length]; length++) {
        column += text[length] == '\t' ? 8 : ((unsigned char)text[length] & 0xc0) != 0x80;
        if (column > columns)
            return blank ? blank : length;
        if (text[length] == ' ' && length > strspn(text, " \t"))
            blank = length;
    }
    return length;
}

/* Prints a line of the source beside the figures of its operations, which are the rows from row to
 * end. A line that does not fit goes on below, further in. */
static void print_annotated_line(FILE *file, const char *text, size_t number,
                                 const struct counted_line *row, const struct counted_line *end)
{
    const size_t columns = columns_of(file), indent = strspn(text, " ") + 4;
    const size_t all = columns > CODE + indent + 16 ? columns - CODE : indent + 16;

    for (size_t taken = 0; row < end || *text || taken == 0; taken = 1) {
        if (row < end)
            print_figures(file, &row++->sum);
        else
            fprintf(file, "%35s |", "");
        size_t length = fitting(text, taken ? all - indent : all);
        if (taken == 0)
            fprintf(file, "%3zu %.*s", number, (int)length, text);
        else if (*text)
            fprintf(file, "    %*s%.*s", (int)indent, "", (int)length, text);
        fputc('\n', file);
        text += length;
        text += strspn(text, " ");
    }
}

/* Prints a file, whose rows are those from begin to end. */
static void annotate_file(FILE *file, const struct counted_line *begin,
                          const struct counted_line *end, size_t launches)
{
    const struct source_file *source = source_file(begin->place.file);
    size_t first = (size_t)begin->place.line, last = (size_t)end[-1].place.line;

    if (source->lines < last) {
        fprintf(file, "%s: cannot be read\n", begin->place.file);
        return;
    }
    widen_range(source, &first, &last);
    fprintf(file, "%s, launches: %zu\n", begin->place.file, launches);
    fprintf(file, "lanes, s(ectors), w(avefronts): per request\n");
    fprintf(file, "%% of branches: all active lanes of the warp go the same way\n");
    fprintf(file, "%-13s%8s%7s%7s |\n", "operation", "requests", "lanes", "cost");
    for (size_t i = first > 0 ? first : 1; i <= last; i++) {
        const struct counted_line *row = begin;
        while (begin < end && begin->place.line <= (int)i)
            begin++;
        print_annotated_line(file, source->line[i - 1], i, row, begin);
    }
}

void lines_annotate(FILE *file, const struct counted_launch *launches, size_t count)
{
    size_t rows, end;
    struct counted_line *row = lines_of(launches, count, &rows);

    for (size_t begin = 0; begin < rows; begin = end) {
        for (end = begin; end < rows && strcmp(row[end].place.file, row[begin].place.file) == 0;)
            end++;
        annotate_file(file, row + begin, row + end, count);
    }
    free(row);
}
