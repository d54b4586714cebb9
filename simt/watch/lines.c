/* Adds counters up by source line. A branch is shown at its own line, that of the jump at the end
 * of its basic block, for which the machine code is looked through. A full decoder is not needed:
 * the jump is the instruction whose bytes say "conditional jump" and whose destination is where a
 * known block begins. */
#include "run/end.h"
#include "watch/table.h"

#include <stdlib.h>
#include <string.h>

/* ---- branches ---- */

/* How far behind a block's begin its hook may be called, and behind the last hook its end may lie.
 */
enum { MAX_PROLOGUE = 64, MAX_BLOCK = 512 };

#ifdef __x86_64__
enum { CALL_BYTES = 5 };

/* Length of a conditional jump at code, 0 if there is none; *distance from its end. */
static int conditional_jump(const unsigned char *code, int32_t *distance)
{
    if (code[0] >= 0x70 && code[0] <= 0x7f) {
        *distance = (signed char)code[1];
        return 2;
    }
    if (code[0] == 0x0f && code[1] >= 0x80 && code[1] <= 0x8f) {
        memcpy(distance, code + 2, sizeof *distance);
        return 6;
    }
    return 0;
}

/* Where the jump at offset leads to, counted from there; 0 if there is none. */
static int64_t unconditional_jump(int64_t offset)
{
    const unsigned char *code = (const unsigned char *)code_address((uint32_t)offset);
    int32_t distance;

    if (code[0] == 0xeb)
        return 2 + (signed char)code[1];
    memcpy(&distance, code + 1, sizeof distance);
    return code[0] == 0xe9 ? 5 + (int64_t)distance : 0;
}
enum { STEP = 1 };
#else
enum { CALL_BYTES = 4 };

/* b.cond, cbz and cbnz have 19 bits of distance in words, tbz and tbnz 14. */
static int conditional_jump(const unsigned char *code, int32_t *distance)
{
    uint32_t word;
    memcpy(&word, code, sizeof word);
    if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
        *distance = ((int32_t)(word << 8) >> 13) * 4 - 4;
    else if ((word & 0x7e000000) == 0x36000000)
        *distance = ((int32_t)(word << 13) >> 18) * 4 - 4;
    else
        return 0;
    return 4;
}

static int64_t unconditional_jump(int64_t offset)
{
    uint32_t word;
    memcpy(&word, (const void *)code_address((uint32_t)offset), sizeof word);
    return (word & 0xfc000000) == 0x14000000 ? ((int32_t)(word << 6) >> 6) * 4 : 0;
}
enum { STEP = 4 };
#endif

/* How far in front of its hook's call a block begins that the jump leads to; more than
 * MAX_PROLOGUE: that is none. */
static int64_t gap(int64_t destination, uint32_t hook)
{
    int64_t call = (int64_t)hook - CALL_BYTES;
    return destination <= call ? call - destination : MAX_PROLOGUE + 1;
}

/* The jump lies in front of the next block. */
static uint32_t end_of_block(uint32_t from, const uint32_t targets[2])
{
    uint32_t end = from + MAX_BLOCK;

    for (int i = 0; i < 2; i++)
        if (targets[i] > from && targets[i] - CALL_BYTES < end)
            end = targets[i] - CALL_BYTES;
    return end;
}

/* The offset behind the jump from the block whose last hook is `from` to those that begin with the
 * hooks `targets`, to be looked up like a return address; `from`, where it cannot be found.
 *
 * Bytes within an instruction, such as the distance of a call, may look like a jump that ends near
 * a hook. Behind a jump that is one the other block follows, or a jump there: of several the one
 * for which both hooks are nearest. */
static uint32_t behind_jump(uint32_t from, const uint32_t targets[2])
{
    uint32_t place = from, end = end_of_block(from, targets);
    int64_t nearest = 2 * MAX_PROLOGUE;

    for (uint32_t at = from; at < end; at += STEP) {
        int32_t distance = 0;
        int length = conditional_jump((const unsigned char *)code_address(at), &distance);
        for (int i = 0; i < 2 && length; i++) {
            int64_t behind = (int64_t)at + length;
            int64_t ahead = gap(behind + distance, targets[i]);
            int64_t other = gap(behind + unconditional_jump(behind), targets[!i]);
            if (ahead < MAX_PROLOGUE && other < MAX_PROLOGUE && ahead + other < nearest) {
                nearest = ahead + other;
                place = (uint32_t)behind;
            }
        }
    }
    return place;
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

/* The pc to look up. Of a branch the log knows only the last hook before it. */
static uint32_t place_of(const struct counter *c)
{
    return c->space == SPACE_CONTROL ? behind_jump(c->pc, c->target) : c->pc;
}

struct counted_line *lines_of(const struct count_table *table, size_t *count)
{
    struct counted_line *rows = malloc((count_of(table) + 1) * sizeof *rows);
    uint32_t *pcs = calloc(count_of(table) + 1, sizeof *pcs);
    size_t n = 0, last = 0;

    if (!rows || !pcs)
        end_fatal("no memory to print counters");
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
