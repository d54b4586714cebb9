/* Answers questions on the order of operations: each line of stdin is a program of the host, whose
 * steps are a letter and numbers (see main). After each operation that it adds and each 'h' one
 * word is printed: for every operation so far 1 if it is over by then for certain, else 0. */
#include "run/timeline.h"

#include <stdio.h>

enum { MOST = 64 };

static struct moment added[MOST];
static int count;

static void print(const struct horizon *horizon, int operations)
{
    putchar('<');
    for (int i = 0; i < operations; i++)
        putchar('0' + horizon_has(horizon, added[i]));
    putchar('>');
}

static void add(struct timeline *t, unsigned stream)
{
    added[count] = timeline_add(t, stream);
    print(timeline_before_next(t, stream), count);
    count++;
}

static void record(struct timeline *t, struct horizon *event, unsigned stream)
{
    horizon_free(event);
    horizon_join(event, timeline_before_next(t, stream));
}

static void run(const char *step)
{
    struct timeline *t = timeline_new();
    struct horizon event[4] = {{0, NULL}};
    unsigned a, b;
    char what;

    count = 0;
    for (int used; sscanf(step, " %c %u %u%n", &what, &a, &b, &used) == 3; step += used)
        switch (what) {
        case 'o': printf("%u", timeline_open(t, a)); break; /* a stream; a: it is blocking */
        case 'c': timeline_close(t, a); break;
        case 'a': add(t, a); break;
        case 'r': record(t, &event[b], a); break;
        case 'w': timeline_stream_waits(t, a, &event[b]); break;
        case 'S': timeline_host_waits_for_stream(t, a); break;
        case 'E': timeline_host_waits(t, &event[b]); break;
        case 'D': timeline_host_waits_for_all(t); break;
        case 's': timeline_serialise(t); break;
        default: print(timeline_host(t), count); /* h */
        }
    putchar('\n');
    for (int i = 0; i < 4; i++)
        horizon_free(&event[i]);
    timeline_free(t);
}

int main(void)
{
    char line[4096];

    while (fgets(line, sizeof line, stdin))
        run(line);
    return 0;
}
