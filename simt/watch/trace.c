/* Keeps the rows of a trace in memory; sorts and writes them when the program ends. Writes files as
 * a whole. */
#include "watch/trace.h"
#include "run/end.h"
#include "watch/source.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One lane of a request. */
struct row {
    const char *array;            /* the array's name; NULL: it is no access */
    uint64_t offset, array_bytes; /* of the access in the array; of the array */
    uint32_t launch, block, request;
    uint32_t place;               /* the number of its pc in pcs */
    uint16_t sectors, wavefronts; /* of the whole request */
    uint8_t warp, lane;
    uint8_t space, kind; /* enum count_space, enum event_kind */
    uint8_t bytes;       /* of the access */
    uint8_t from;        /* of a shuffle: the lane whose value it gets */
    struct value value;
};

enum { MOST_ROWS = 1 << 21 };

char *trace_path;
static struct row *rows;
static size_t row_count, row_room;
static struct entries pcs; /* uint32_t, the pcs of the rows */

/* ---- the values of accesses ---- */

/* The value of the log's last event. */
static struct value *last_value(const struct log *log)
{
    return &log->values->value[log->next - log->begin - 1];
}

static void copy_value(struct value *value, const void *from, size_t size)
{
    value->size = (uint8_t)size;
    memcpy(value->bytes, from, size);
}

void values_add(const struct log *log)
{
    struct event event = log_last(log);

    if (event.kind == EVENT_LOAD)
        copy_value(last_value(log), (const void *)(uintptr_t)event.address, event.size);
}

void values_settle(const struct log *log)
{
    struct values *values = log->values;
    size_t count = (size_t)(log->next - log->begin);

    for (; values->known < count; values->known++) {
        const struct event *event = &log->begin[values->known];
        if (event->kind == EVENT_STORE)
            copy_value(&values->value[values->known], (const void *)(uintptr_t)event->address,
                       event->size);
    }
}

void values_atomic(struct lane *lane, const void *address, const void *bytes, size_t size)
{
    struct event last = log_last(&lane->log);

    if (last.kind == EVENT_ATOMIC && last.address == ((uintptr_t)address & 0xffffffffffff))
        copy_value(last_value(&lane->log), bytes, size); /* else it was not logged */
}

void values_drop(struct values *values, size_t count)
{
    size_t left = LOG_EVENTS - count;

    memmove(values->value, values->value + count, left * sizeof *values->value);
    memset(values->value + left, 0, count * sizeof *values->value);
    values->known = values->known > count ? values->known - (unsigned)count : 0;
}

/* ---- recording ---- */

static uint32_t number_of_place(const struct warp_event *event)
{
    uint32_t pc = key_pc(event->key, event->depth);
    uint32_t *known = entries_at(&pcs, sizeof *known, pc, 0);

    *known = pc;
    return (uint32_t)(known - (uint32_t *)pcs.entry);
}

void trace_event(const struct block *block, const struct warp_event *event, unsigned warp,
                 uint32_t request, enum count_space space,
                 const struct event *const next[WARP_SIZE])
{
    size_t launches;
    struct row row = {.block = block->number,
                      .request = request,
                      .place = number_of_place(event),
                      .warp = (uint8_t)warp,
                      .space = (uint8_t)space,
                      .kind = (uint8_t)event->kind,
                      .bytes = (uint8_t)event->size};

    if (row_count > MOST_ROWS - WARP_SIZE)
        end_usage("a trace of more than %d rows would be too large: %s is not written; let the "
                  "program work on less",
                  MOST_ROWS, trace_path);
    count_launches(&launches);
    row.launch = (uint32_t)launches;
    if (space <= SPACE_SHARED) {
        struct cost loads = {0}, cost = cost_of(event, space == SPACE_SHARED, &loads);
        row.sectors = (uint16_t)cost.sectors;
        row.wavefronts = (uint16_t)cost.wavefronts;
    }
    EACH_LANE(lane, event->lanes) {
        row.lane = (uint8_t)lane;
        uint64_t address = event->address[row.lane];
        const struct log *log = &block->lane[warp * WARP_SIZE + row.lane].log;
        if (space <= SPACE_SHARED) {
            struct array array = space_array(block, address, space);
            row.array = array.name;
            row.array_bytes = array.size;
            row.offset = address - array.begin;
            row.value = log->values->value[next[row.lane] + event->behind - log->begin];
        } else if (event->kind == EVENT_SHUFFLE) {
            row.from = (uint8_t)(address >> 32);
        }
        *ARRAY_ADD(rows, row_count, row_room) = row;
    }
}

/* ---- places in the program ---- */

struct pc_place {
    struct source_line line;
    int instruction; /* its number among the instructions of the line, from 1 on */
};

/* The place of each of pcs. The caller frees them. */
static struct pc_place *find_places(void)
{
    const uint32_t *pc = pcs.entry;
    size_t count = pcs.numbers.count;
    struct pc_place *places = malloc((count + 1) * sizeof *places);

    if (!places)
        end_fatal("no memory to write a trace");
    source_ask(pc, count);
    for (size_t i = 0; i < count; i++)
        places[i] = (struct pc_place){source_line_at(pc[i]), 1};
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            places[i].instruction += pc[j] < pc[i] && source_same(places[j].line, places[i].line);
    return places;
}

/* ---- writing ---- */

/* By launch, block, warp, request and lane, so that it does not depend on the order of blocks. */
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

/* Prints a value's bits as numbers of the access's size; if that is above 8 bytes, as words. */
static void print_value(FILE *file, const struct row *r)
{
    unsigned size = r->bytes <= 8 ? r->bytes : 4;

    for (unsigned i = 0; i < r->value.size; i += size) {
        uint64_t bits = 0;
        memcpy(&bits, r->value.bytes + i, size);
        fprintf(file, "%s0x%0*llx", i > 0 ? " " : "", (int)(2 * size), (unsigned long long)bits);
    }
}

static void print_row(FILE *file, const struct row *r, const struct counted_launch *launch,
                      const struct pc_place *place)
{
    fprintf(file, "%u,%zu,%zu,%u,%u,%u,", r->launch + 1, launch_volume(launch->grid),
            launch_volume(launch->block), r->block, r->warp, r->request);
    source_print_csv(file, place->line.file);
    fprintf(file, ",%d,%d,%s,%s,%u,%s", place->line.line, place->instruction,
            count_space_names[r->space], count_operation_names[r->kind], r->lane,
            r->array ? r->array : "");
    source_print_number(file, r->array, r->array_bytes);
    source_print_number(file, r->array, r->offset);
    source_print_number(file, r->array, r->bytes);
    source_print_number(file, r->space == SPACE_GLOBAL, r->sectors);
    source_print_number(file, r->space == SPACE_SHARED, r->wavefronts);
    source_print_number(file, r->kind == EVENT_SHUFFLE, r->from);
    fputc(',', file);
    print_value(file, r);
    fprintf(file, "\n");
}

static void print_rows(FILE *file)
{
    size_t count;
    const struct counted_launch *launches = count_launches(&count);
    struct pc_place *places = find_places();

    qsort(rows, row_count, sizeof *rows, by_order);
    fprintf(file, "launch,blocks,threads,block,warp,request,file,line,instruction,space,op,lane,"
                  "array,array_bytes,offset,bytes,sectors,wavefronts,from,value\n");
    /* a launch that did not end is left out */
    for (const struct row *r = rows; r < rows + row_count && r->launch < count; r++)
        print_row(file, r, &launches[r->launch], &places[r->place]);
    free(places);
}

const char *simt_set_trace(const char *file)
{
    return whole_file_check(file, &trace_path);
}

bool trace_write(void)
{
    size_t count;

    count_launches(&count);
    return !trace_path || count == 0 || whole_file_write(trace_path, "the trace", print_rows);
}

/* ---- files that are written as a whole or not at all ---- */

/* Opens the file under the name that it has first; NULL: it cannot be opened. The caller frees
 * *part, that name. */
static FILE *open_part(const char *file, char **part)
{
    if (asprintf(part, "%s.%d", file, (int)getpid()) < 0)
        *part = NULL;
    return *part ? fopen(*part, "wx") : NULL;
}

const char *whole_file_check(const char *file, char **path)
{
    struct stat info;

    if (!*file)
        return "want the name of a file to write";
    if (stat(file, &info) == 0 && !S_ISREG(info.st_mode))
        return "is not a regular file; want the name of a file to write";
    char *real = realpath(file, NULL), *part;
    FILE *tried = open_part(real ? real : file, &part);
    int error = errno;

    if (tried) {
        fclose(tried);
        free(*path);
        *path = realpath(part, NULL); /* absolute: the program may change its folder */
        unlink(part);
        if (*path)
            *strrchr(*path, '.') = '\0';
    }
    free(real);
    free(part);
    if (tried)
        return NULL;
    return error == ENOENT ? "cannot be written: no such folder" : strerror(error);
}

bool whole_file_write(const char *path, const char *what, void (*print)(FILE *file))
{
    char *text = NULL, *part = NULL;
    size_t size = 0;
    FILE *made = open_memstream(&text, &size), *file = NULL;

    if (made)
        print(made);
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error like a full disk */
    bool written = made && fclose(made) == 0 && (file = open_part(path, &part)) &&
                   fwrite(text, 1, size, file) == size && fflush(file) == 0 &&
                   rename(part, path) == 0;
    if (!written)
        fprintf(stderr, "simt: %s: %s cannot be written: %s\n", path, what, strerror(errno));
    if (file && !written)
        unlink(part);
    if (file)
        fclose(file);
    free(text);
    free(part);
    return written;
}
