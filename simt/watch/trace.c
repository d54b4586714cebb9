/* Keeps the rows of a trace in memory, sorts them when a launch ends, writes them at the end. */
#define _GNU_SOURCE
#include "watch/trace.h"
#include "run/array.h"
#include "run/end.h"
#include "simt.h"
#include "watch/cost.h"
#include "watch/source.h"
#include "watch/whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One lane of a request. */
struct row {
    const char *array; /* NULL: no access */
    uint64_t offset, array_bytes;
    uint32_t launch, block, request, pc;
    uint16_t sectors, wavefronts;
    uint8_t warp, lane, space, kind, bytes, from;
    uint8_t value_bytes; /* 0: it has no value, or none that is known */
    uint8_t value[MOST_VALUE];
};

struct rows {
    struct row *row;
    size_t count, room;
};

/* A recorded launch's size. */
struct extent {
    size_t blocks;
    unsigned threads;
};

enum { MOST_ROWS = 1 << 21 };

bool trace_wanted;
static char *path;
static struct rows all;
static struct extent *launches;
static uint32_t launch_count;
static size_t launch_room;
static size_t row_count; /* so far */

/* ---- recording ---- */

static void limit_rows(unsigned more)
{
    if ((row_count += more) > MOST_ROWS)
        end_usage("a trace of more than %d rows would be too large: %s is not written; let the "
                  "program work on less",
                  MOST_ROWS, path);
}

static void add_value(struct row *row, const struct value *value)
{
    if (!value || !value->known)
        return;
    row->value_bytes = value->size;
    memcpy(row->value, value->bytes, sizeof row->value);
}

void trace_event(const struct block *block, const struct shared_memory *shared,
                 const struct warp_event *event, unsigned warp, uint32_t request,
                 enum count_space space, const struct value *const value[WARP_SIZE])
{
    struct row row = {.launch = launch_count,
                      .block = block_number(block),
                      .request = request,
                      .pc = key_pc(event->key, event->depth),
                      .warp = (uint8_t)warp,
                      .space = (uint8_t)space,
                      .kind = (uint8_t)event->kind,
                      .bytes = (uint8_t)event->size};
    unsigned lanes = (unsigned)__builtin_popcount(event->lanes);

    if (space == SPACE_GLOBAL)
        row.sectors = (uint16_t)cost_sectors(event->address, event->lanes, event->size);
    if (space == SPACE_SHARED)
        row.wavefronts = (uint16_t)cost_wavefronts(event->address, event->lanes, event->size);
    limit_rows(lanes);
    for (unsigned left = event->lanes; left; left &= left - 1) {
        uint64_t address = event->address[__builtin_ctz(left)];
        row.lane = (uint8_t)__builtin_ctz(left);
        row.value_bytes = 0;
        if (space <= SPACE_SHARED) {
            struct array array = space_array(block, shared, address, space);
            row.array = array.name;
            row.array_bytes = array.size;
            row.offset = address - array.begin;
            add_value(&row, value[row.lane]);
        } else if (event->kind == EVENT_SHUFFLE) {
            row.from = (uint8_t)(address >> 32);
        }
        array_room((void **)&all.row, all.count, &all.room, SIZE_MAX, sizeof row);
        all.row[all.count++] = row;
    }
}

void trace_launch_end(const struct launch *launch)
{
    if (!trace_wanted)
        return;
    array_room((void **)&launches, launch_count, &launch_room, SIZE_MAX, sizeof *launches);
    launches[launch_count++] =
        (struct extent){(size_t)launch->grid.x * launch->grid.y * launch->grid.z, launch->threads};
}

/* ---- places: the program's instructions and their source lines ---- */

struct place {
    uint32_t pc;
    struct source_line line;
    int instruction; /* of those on this line, from 1 */
};

static int by_pc(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* All pcs of the rows, each once, ascending. The caller frees. */
static uint32_t *distinct_pcs(size_t *count)
{
    uint32_t *pcs = malloc((all.count + 1) * sizeof *pcs);
    size_t used = 0;

    if (!pcs)
        end_fatal("no memory to write a trace");
    for (size_t i = 0; i < all.count; i++)
        pcs[i] = all.row[i].pc;
    qsort(pcs, all.count, sizeof *pcs, by_pc);
    for (size_t i = 0; i < all.count; i++)
        if (used == 0 || pcs[used - 1] != pcs[i])
            pcs[used++] = pcs[i];
    *count = used;
    return pcs;
}

/* Sorted by pc. The caller frees. */
static struct place *find_places(size_t *count)
{
    uint32_t *pcs = distinct_pcs(count);
    struct place *places = malloc((*count + 1) * sizeof *places);
    struct source_line *lines = malloc((*count + 1) * sizeof *lines);

    if (!places || !lines)
        end_fatal("no memory to write a trace");
    source_lines(pcs, *count, lines);
    for (size_t i = 0; i < *count; i++) {
        places[i] = (struct place){pcs[i], lines[i], 1};
        for (size_t j = 0; j < i; j++)
            places[i].instruction +=
                lines[j].line == lines[i].line && strcmp(lines[j].file, lines[i].file) == 0;
    }
    free(pcs);
    free(lines);
    return places;
}

/* ---- writing ---- */

/* By launch, block, warp, request, lane: the same whoever ran the blocks, and in which order. */
static int by_order(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const uint32_t keys[][2] = {{x->launch, y->launch},
                                {x->block, y->block},
                                {x->warp, y->warp},
                                {x->request, y->request},
                                {x->lane, y->lane}};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Its bits, as numbers of the access's size, of more than 8 bytes word by word. */
static void print_value(FILE *file, const struct row *r)
{
    unsigned size = r->bytes <= 8 ? r->bytes : 4;

    for (unsigned i = 0; i < r->value_bytes; i += size) {
        uint64_t bits = 0;
        memcpy(&bits, r->value + i, size);
        fprintf(file, "%s0x%0*llx", i > 0 ? " " : "", (int)(2 * size), (unsigned long long)bits);
    }
}

static void print_row(FILE *file, const struct row *r, const struct place *place)
{
    const struct extent *launch = &launches[r->launch];

    fprintf(file, "%u,%zu,%u,%u,%u,%u,%s,%d,%d,%s,%s,%u,", r->launch + 1, launch->blocks,
            launch->threads, r->block, r->warp, r->request, place->line.file, place->line.line,
            place->instruction, count_space_names[r->space], count_operation_names[r->kind],
            r->lane);
    if (r->array)
        fprintf(file, "%s,%llu,%llu,%u,", r->array, (unsigned long long)r->array_bytes,
                (unsigned long long)r->offset, r->bytes);
    else
        fprintf(file, ",,,,");
    if (r->space == SPACE_GLOBAL)
        fprintf(file, "%u", r->sectors);
    fprintf(file, ",");
    if (r->space == SPACE_SHARED)
        fprintf(file, "%u", r->wavefronts);
    fprintf(file, ",");
    if (r->kind == EVENT_SHUFFLE)
        fprintf(file, "%u", r->from);
    fprintf(file, ",");
    print_value(file, r);
    fprintf(file, "\n");
}

static void print_rows(FILE *file)
{
    size_t count;
    struct place *places = find_places(&count);

    qsort(all.row, all.count, sizeof *all.row, by_order);
    fprintf(file, "launch,blocks,threads,block,warp,request,file,line,instruction,space,op,lane,"
                  "array,array_bytes,offset,bytes,sectors,wavefronts,from,value\n");
    for (size_t i = 0; i < all.count; i++)
        print_row(file, &all.row[i], bsearch(&all.row[i].pc, places, count, sizeof *places, by_pc));
    free(places);
}

const char *simt_set_trace(const char *file)
{
    const char *why = whole_file_check(file, &path);

    trace_wanted |= !why;
    return why;
}

bool trace_write(void)
{
    if (launch_count == 0)
        return true;
    FILE *file = whole_file_begin(path);
    if (file)
        print_rows(file);
    return whole_file_end(file, path, "the trace");
}
