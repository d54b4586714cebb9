/*
 * make profile-03: what Nsight Compute counted, from what it printed (ncu --csv), on standard
 * input.
 *
 *     profile METRICS --ask          the metrics to ask ncu for, with commas between
 *     profile METRICS TITLE          a table: a column for each of the first launches, and one for
 * all that a reduction needs (the program reduces twice) profile METRICS --rows HEAD    the first
 * launch: HEAD,NAME,VALUE, a line for each counter
 *
 * METRICS is a file: our name of a counter, Nsight Compute's, and opcodes if only these count.
 * Where something is missing it says what, status 1.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTERS = 64, LAUNCHES = 1024, FIELDS = 32, SHOWN = 3 };

/* One line of METRICS: a part of a counter. */
struct part {
    int counter;
    char metric[96];
    char opcodes[96]; /* " LDG STG ", or empty */
};

struct launch {
    int id;
    double value[COUNTERS];
    bool has[COUNTERS * 2]; /* by part: whether ncu gave a value */
};

static char names[COUNTERS][40];
static int counters;
static struct part parts[COUNTERS * 2];
static int part_count;
static struct launch launches[LAUNCHES];
static int launch_count;

static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "%s%s\n", what, detail);
    exit(1);
}

/* ---- the counters ---- */

static int counter_called(const char *name)
{
    for (int i = 0; i < counters; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    if (counters == COUNTERS)
        fail("too many counters in ", "METRICS");
    snprintf(names[counters], sizeof *names, "%s", name);
    return counters++;
}

static void read_metrics(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    if (!file)
        fail("cannot read ", path);
    while (fgets(line, sizeof line, file)) {
        char name[40], metric[96];
        int end = 0;
        if (line[0] == '#' || sscanf(line, "%39s %95s%n", name, metric, &end) < 2)
            continue;
        if (part_count == COUNTERS * 2)
            fail("too many lines in ", path);
        struct part *part = &parts[part_count++];
        part->counter = counter_called(name);
        snprintf(part->metric, sizeof part->metric, "%s", metric);
        line[strcspn(line, "\n")] = 0;
        if (line[end + (int)strspn(line + end, " ")])
            snprintf(part->opcodes, sizeof part->opcodes, "%s ", line + end);
    }
    fclose(file);
}

static void print_asked(void)
{
    for (int i = 0; i < part_count; i++) {
        bool before = false;
        for (int j = 0; j < i; j++)
            before |= strcmp(parts[j].metric, parts[i].metric) == 0;
        if (!before)
            printf("%s%s", i ? "," : "", parts[i].metric);
    }
    putchar('\n');
}

/* ---- what ncu printed ---- */

static struct launch *launch_of(int id)
{
    for (int i = launch_count; i-- > 0;)
        if (launches[i].id == id)
            return &launches[i];
    if (launch_count == LAUNCHES)
        fail("more launches than ", "1024");
    launches[launch_count].id = id;
    return &launches[launch_count++];
}

/* The sum of the opcodes that count, of a value such as 15 (LDG: 8; STS: 7). */
static double of_opcodes(const char *value, const char *opcodes)
{
    double sum = 0;
    char name[32], wanted[40];
    long count;
    for (const char *at = strchr(value, '('); at; at = strchr(at + 1, ' ')) {
        if (sscanf(at + 1, "%31[^: ]: %ld", name, &count) != 2)
            continue;
        snprintf(wanted, sizeof wanted, " %s ", name);
        sum += strstr(opcodes, wanted) ? (double)count : 0;
    }
    return sum;
}

static void add(int id, const char *metric, char *value)
{
    char *to = value, *end;
    for (const char *from = value; *from; from++) /* 32,768 */
        if (*from != ',')
            *to++ = *from;
    *to = 0;
    double number = strtod(value, &end);
    bool numeric = end != value && (!*end || *end == ' ');
    struct launch *launch = launch_of(id);
    for (int i = 0; i < part_count; i++) {
        const struct part *part = &parts[i];
        if (!numeric || strcmp(part->metric, metric) != 0)
            continue;
        launch->has[i] = true;
        launch->value[part->counter] += *part->opcodes ? of_opcodes(value, part->opcodes) : number;
    }
}

/* Splits a line of "quoted","fields" at its place; returns how many there are. */
static int split(char *line, char **field)
{
    int count = 0;
    for (char *at = line; *at == '"' && count < FIELDS;) {
        field[count++] = ++at;
        at = strchr(at, '"');
        if (!at)
            return count - 1;
        *at++ = 0;
        at += *at == ',';
    }
    return count;
}

/* Reads all of it, with what the program prints in between. what_failed: the first line that says
 * so. */
static void read_output(char *what_failed, size_t room)
{
    char *line = NULL, *field[FIELDS], first[2048] = "", error[2048] = "";
    size_t size = 0;
    int id = -1, metric = -1, value = -1;
    while (getline(&line, &size, stdin) >= 0) {
        line[strcspn(line, "\r\n")] = 0;
        if (!*first)
            snprintf(first, sizeof first, "%s", line);
        if (!*error && strncmp(line, "==ERROR==", 9) == 0)
            snprintf(error, sizeof error, "%s", line);
        if (*line != '"')
            continue;
        int count = split(line, field);
        bool head = count && strcmp(field[0], "ID") == 0;
        for (int i = 0; head && i < count; i++) {
            id = strcmp(field[i], "ID") == 0 ? i : id;
            metric = strcmp(field[i], "Metric Name") == 0 ? i : metric;
            value = strcmp(field[i], "Metric Value") == 0 ? i : value;
        }
        if (!head && id >= 0 && metric > id && value > metric && value < count)
            add(atoi(field[id]), field[metric], field[value]);
    }
    free(line);
    snprintf(what_failed, room, "%s", *error ? error : launch_count ? "" : first);
    if (!*what_failed && !launch_count)
        snprintf(what_failed, room, "it printed nothing");
    for (int i = 0; i < launch_count && !*what_failed; i++)
        for (int j = 0; j < part_count && !*what_failed; j++)
            if (!launches[i].has[j])
                snprintf(what_failed, room, "no value of %s", parts[j].metric);
}

/* ---- the table ---- */

static int number_of(const char *name)
{
    for (int i = 0; i < counters; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail("METRICS has no ", name);
    return 0;
}

static int shown; /* launches */
static double total[COUNTERS];

/* decimals below 0: a count; else a rate, which cannot be added up. */
static void print_line(const char *label, int counter, double unit, int decimals)
{
    printf("%-27s", label);
    for (int i = 0; i < shown; i++)
        printf(" %12.*f", decimals < 0 ? 0 : decimals, launches[i].value[counter] / unit);
    if (decimals < 0)
        printf(" %12.0f", total[counter]);
    putchar('\n');
}

/* Is it a rare operation, which has a line only where there is some of it? */
static bool is_rare(const char *name)
{
    return strstr(name, "atomic") || strncmp(name, "votes", 5) == 0 ||
           strncmp(name, "reductions", 10) == 0 || strncmp(name, "generic", 7) == 0;
}

static void print_per_request(int sectors, int requests)
{
    printf("%-27s", "  per request");
    for (int i = 0; i < shown; i++) {
        double per = launches[i].value[requests];
        printf(" %12.2f", launches[i].value[sectors] / (per ? per : 1));
    }
    printf(" %12.2f\n", total[sectors] / (total[requests] ? total[requests] : 1));
}

static void print_counter(int counter)
{
    const char *name = names[counter];
    char label[sizeof *names];
    if (strncmp(name, "launch_", 7) == 0 || (is_rare(name) && !total[counter]))
        return;
    if (strcmp(name, "branch_efficiency_pct") == 0) {
        print_line("branch efficiency, %", counter, 1, 2);
    } else if (strcmp(name, "global_load_throughput") == 0) {
        print_line("global load GB/s", counter, 1e9, 2);
    } else if (strcmp(name, "instructions_per_warp") == 0) {
        print_line("instructions per warp", counter, 1, 2);
    } else {
        snprintf(label, sizeof label, "%s", name);
        for (char *c = label; *c; c++)
            *c = *c == '_' ? ' ' : *c;
        print_line(label, counter, 1, -1);
    }
    if (strcmp(name, "global_load_sectors") == 0)
        print_per_request(counter, number_of("global_load_requests"));
}

static void print_table(const char *title)
{
    int reduction = (launch_count + 1) / 2; /* one of two */
    char all[32];
    shown = reduction < SHOWN ? reduction : SHOWN;
    for (int i = 0; i < reduction; i++)
        for (int j = 0; j < counters; j++)
            total[j] += launches[i].value[j];
    snprintf(all, sizeof all, "all %d", reduction);
    printf("%s: Nsight Compute\n%-27s", title, "launch");
    for (int i = 0; i < shown; i++)
        printf(" %12d", i + 1);
    printf(" %12s\n", all);
    print_line("blocks", number_of("launch_blocks"), 1, 0);
    print_line("threads per block", number_of("launch_threads"), 1, 0);
    for (int i = 0; i < counters; i++)
        print_counter(i);
    if (total[number_of("shared_load_bank_conflicts")] +
        total[number_of("shared_store_bank_conflicts")])
        puts("(about 2 % of shared wavefronts are warps that delay each other, no conflicts)");
}

int main(int count, char **arguments)
{
    if (count < 3)
        fail("want METRICS and --ask, TITLE or --rows HEAD, ", "as make/profile.sh gives them");
    read_metrics(arguments[1]);
    if (strcmp(arguments[2], "--ask") == 0) {
        print_asked();
        return 0;
    }
    char what_failed[2048];
    read_output(what_failed, sizeof what_failed);
    if (*what_failed)
        fail(what_failed, "");
    if (count == 4) {
        for (int i = 0; i < counters; i++)
            printf("%s,%s,%.15g\n", arguments[3], names[i], launches[0].value[i]);
    } else {
        print_table(arguments[2]);
    }
    return fflush(stdout) ? 2 : 0;
}
