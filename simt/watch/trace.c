/* Keeps the rows of a trace in memory, sorts them when a launch ends, writes them at the end. */
#define _GNU_SOURCE
#include "watch/trace.h"
#include "run/end.h"
#include "simt.h"
#include "watch/cost.h"
#include "watch/source.h"
#include "watch/whole_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An atomicCAS has three values of up to 8 bytes. */
enum { MOST_VALUE = 24 };

/* One lane of a request. */
struct row {
    const char *array; /* NULL: no access */
    uint64_t offset, array_bytes;
    uint32_t launch, block, request, pc;
    uint16_t sectors, wavefronts;
    uint32_t next;    /* of its thread, among those whose value is not yet complete; 0: none */
    uint16_t address; /* its lowest bits */
    uint8_t warp, lane, space, kind, bytes, from;
    uint8_t known, wanted; /* bytes of its value that are known, and that there are */
    uint8_t value[MOST_VALUE];
};

struct rows {
    struct row *row;
    size_t count, room;
};

struct tracer {
    struct rows rows;
    uint32_t requests[MAX_WARPS]; /* of each warp of the block so far */
    /* of each thread of the block: the first and the last row that lacks its value, from 1 */
    uint32_t first[MAX_LANES], last[MAX_LANES];
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
static size_t row_count; /* so far */

/* ---- recording ---- */

struct tracer *trace_new(void)
{
    struct tracer *tracer = calloc(1, sizeof *tracer);

    if (!tracer)
        end_fatal("no memory for a trace");
    return tracer;
}

void trace_block_begin(struct tracer *tracer)
{
    memset(tracer->requests, 0, sizeof tracer->requests);
    memset(tracer->first, 0, sizeof tracer->first);
}

/* Makes room for count more rows. */
static void reserve(struct rows *rows, size_t count)
{
    size_t room = rows->room ? rows->room : 1024;

    if (rows->count + count <= rows->room)
        return;
    while (room < rows->count + count)
        room *= 2;
    rows->row = realloc(rows->row, room * sizeof *rows->row);
    if (!rows->row)
        end_fatal("no memory for a trace of %zu rows", room);
    rows->room = room;
}

static void limit_rows(unsigned more)
{
    if ((row_count += more) > MOST_ROWS)
        end_usage("a trace of more than %d rows would be too large: %s is not written; let the "
                  "program work on less",
                  MOST_ROWS, path);
}

/* Bytes of what an access reads or stores, of an atomic with its operands. */
static unsigned value_bytes(const struct warp_event *event)
{
    if (event->kind != EVENT_ATOMIC)
        return event->size;
    return event->size * (event->extra & EXTRA_CAS ? 3 : 2);
}

/* The last row waits for its value. */
static void await_value(struct tracer *tracer)
{
    struct row *rows = tracer->rows.row;
    uint32_t number = (uint32_t)tracer->rows.count;
    unsigned thread = rows[number - 1].warp * WARP_SIZE + rows[number - 1].lane;

    if (tracer->first[thread])
        rows[tracer->last[thread] - 1].next = number;
    else
        tracer->first[thread] = number;
    tracer->last[thread] = number;
}

/* Size bytes of a thread's value, at an address with these lowest bits. */
static void add_value(struct tracer *tracer, unsigned thread, uint16_t address, uint32_t bits,
                      unsigned size)
{
    uint32_t before = 0, number = tracer->first[thread];
    struct row *rows = tracer->rows.row, *row;

    for (; number; before = number, number = row->next) {
        row = &rows[number - 1];
        unsigned at = (uint16_t)(address - row->address);
        if (at + size > row->wanted)
            continue;
        memcpy(row->value + at, &bits, size);
        row->known = (uint8_t)(row->known + size);
        if (row->known < row->wanted)
            return;
        *(before ? &rows[before - 1].next : &tracer->first[thread]) = row->next;
        if (!row->next)
            tracer->last[thread] = before;
        return;
    }
}

void trace_values(struct tracer *tracer, const struct warp_event *event, unsigned warp)
{
    for (unsigned left = event->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t what = event->address[lane];
        add_value(tracer, warp * WARP_SIZE + lane, (uint16_t)(what >> 32), (uint32_t)what,
                  event->size);
    }
}

void trace_event(struct tracer *tracer, const struct block *block,
                 const struct shared_memory *shared, const struct warp_event *event, unsigned warp,
                 enum count_space space)
{
    struct row row = {.launch = launch_count,
                      .block = block_number(block),
                      .request = tracer->requests[warp]++,
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
    reserve(&tracer->rows, lanes);
    for (unsigned left = event->lanes; left; left &= left - 1) {
        uint64_t address = event->address[__builtin_ctz(left)];
        row.lane = (uint8_t)__builtin_ctz(left);
        if (space <= SPACE_SHARED) {
            struct array array = space_array(block, shared, address, space);
            row.array = array.name;
            row.array_bytes = array.size;
            row.offset = address - array.begin;
            row.address = (uint16_t)address;
            row.wanted = (uint8_t)value_bytes(event);
        } else if (event->kind == EVENT_SHUFFLE) {
            row.from = (uint8_t)(address >> 32);
        }
        tracer->rows.row[tracer->rows.count++] = row;
        if (row.wanted)
            await_value(tracer);
    }
}

void trace_gather(struct tracer *tracer)
{
    struct rows *rows = &tracer->rows;

    if (rows->count == 0)
        return;
    reserve(&all, rows->count);
    memcpy(all.row + all.count, rows->row, rows->count * sizeof *rows->row);
    all.count += rows->count;
    free(rows->row);
    *rows = (struct rows){0};
}

void trace_launch_end(const struct launch *launch)
{
    if (!trace_wanted)
        return;
    launches = realloc(launches, (launch_count + 1) * sizeof *launches);
    if (!launches)
        end_fatal("no memory for a trace");
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

    if (r->known < r->wanted)
        return;
    for (unsigned i = 0; i < r->wanted; i += size) {
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
