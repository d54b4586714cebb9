/* Adds counters up by source line. A branch is shown at its own line, that of the jump at the end
 * of its basic block, which objdump finds in the machine code. */
#define _GNU_SOURCE
#include "run/end.h"
#include "watch/table.h"

#include <stdlib.h>
#include <string.h>

/* ---- branches ---- */

/* Behind the last hook of a basic block its end may lie so far. */
enum { MAX_BLOCK = 512 };

/* Offsets behind the jumps at the ends of basic blocks, in their order. */
struct jumps {
    uint32_t *behind;
    size_t count, room;
};

/* Is it an instruction of x86-64 or aarch64 that goes on at one of several places? */
static bool is_jump(const char *text)
{
    static const char *const names[] = {"j", "b.", "br\t", "cbz", "cbnz", "tbz", "tbnz"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0)
            return strncmp(text, "jmp", 3) != 0 || strchr(text, '*');
    return false;
}

/* Those of the code from begin to end; none where objdump is not to be had. Of several between two
 * blocks' hooks it is the last: others lead around calls within the block. */
static struct jumps find_jumps(uint32_t begin, uint32_t end)
{
    struct jumps jumps = {NULL};
    char tool[160], line[512];
    bool jumped = false, known = false; /* just now; since the last hook */

    snprintf(tool, sizeof tool,
             "objdump -d --no-show-raw-insn --start-address=0x%lx --stop-address=0x%lx",
             (unsigned long)code_address(begin), (unsigned long)code_address(end));
    FILE *code = source_tool(tool, "");
    while (code && fgets(line, sizeof line, code)) {
        char *text;
        const void *address = (void *)strtoul(line, &text, 16);
        if (*text != ':' || text == line)
            continue;
        if (jumped) {
            jumps.count -= known;
            array_room((void **)&jumps.behind, jumps.count, &jumps.room, SIZE_MAX, sizeof begin);
            jumps.behind[jumps.count++] = code_offset(address);
        }
        known = (known || jumped) && !strstr(line, "<__sanitizer_cov_trace_pc>");
        jumped = is_jump(text + strspn(text, ":\t "));
    }
    if (code)
        pclose(code);
    return jumps;
}

/* Those behind the hooks of all branches that the table has counted. */
static struct jumps jumps_of(const struct count_table *table)
{
    uint32_t first = UINT32_MAX, last = 0;

    for (size_t i = 0; i < count_of(table); i++) {
        const struct counter *c = count_at(table, i);
        if (c->space != SPACE_CONTROL || !count_is_worth_telling(c))
            continue;
        first = c->pc < first ? c->pc : first;
        last = c->pc > last ? c->pc : last;
    }
    return first > last ? (struct jumps){NULL} : find_jumps(first, last + MAX_BLOCK);
}

/* The pc to look up. Of a branch the log knows only the last hook before it. */
static uint32_t place_of(const struct counter *c, const struct jumps *jumps)
{
    if (c->space != SPACE_CONTROL)
        return c->pc;
    for (size_t i = 0; i < jumps->count; i++)
        if (jumps->behind[i] > c->pc)
            return jumps->behind[i] < c->pc + MAX_BLOCK ? jumps->behind[i] : c->pc;
    return c->pc;
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

struct counted_line *lines_of(const struct count_table *table, size_t *count)
{
    struct counted_line *rows = malloc((count_of(table) + 1) * sizeof *rows);
    uint32_t *pcs = calloc(count_of(table) + 1, sizeof *pcs);
    struct jumps jumps = jumps_of(table);
    size_t n = 0, last = 0;

    if (!rows || !pcs)
        end_fatal("no memory to print counters");
    for (size_t i = 0; i < count_of(table); i++)
        if (count_is_worth_telling(count_at(table, i))) {
            pcs[n] = place_of(count_at(table, i), &jumps);
            rows[n++].sum = *count_at(table, i);
        }
    source_ask(pcs, n);
    for (size_t i = 0; i < n; i++)
        rows[i].place = source_line_at(pcs[i]);
    free(jumps.behind);
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
