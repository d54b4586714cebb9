/* Vector clocks of the host and the streams. */
#include "run/timeline.h"
#include "run/end.h"

#include <stdlib.h>
#include <string.h>

struct line {
    struct horizon horizon; /* of its next operation; its own ones are part of it */
    bool open, blocking;
};

struct timeline {
    struct horizon host, serial; /* serial: what every operation comes after */
    struct line *line;
    unsigned lines;
};

static void *resized(void *p, size_t count, size_t size)
{
    p = realloc(p, count * size);
    if (!p)
        end_fatal("no memory for the order of streams");
    return p;
}

static void make_room(struct horizon *horizon, unsigned count)
{
    if (horizon->count >= count)
        return;
    horizon->known = resized(horizon->known, count, sizeof *horizon->known);
    memset(horizon->known + horizon->count, 0, (count - horizon->count) * sizeof *horizon->known);
    horizon->count = count;
}

void horizon_join(struct horizon *horizon, const struct horizon *more)
{
    make_room(horizon, more->count);
    for (unsigned s = 0; s < more->count; s++)
        if (horizon->known[s] < more->known[s])
            horizon->known[s] = more->known[s];
}

void horizon_free(struct horizon *horizon)
{
    free(horizon->known);
    *horizon = (struct horizon){0, NULL};
}

struct timeline *timeline_new(void)
{
    struct timeline *t = resized(NULL, 1, sizeof *t);

    *t = (struct timeline){.lines = 0};
    timeline_open(t, false);
    return t;
}

void timeline_free(struct timeline *t)
{
    for (unsigned s = 0; s < t->lines; s++)
        horizon_free(&t->line[s].horizon);
    horizon_free(&t->host);
    horizon_free(&t->serial);
    free(t->line);
    free(t);
}

unsigned timeline_open(struct timeline *t, bool blocking)
{
    unsigned s = 0;

    while (s < t->lines && (t->line[s].open || t->line[s].blocking != blocking))
        s++;
    if (s == t->lines) {
        t->line = resized(t->line, ++t->lines, sizeof *t->line);
        t->line[s].horizon = (struct horizon){0, NULL};
    }
    t->line[s].open = true;
    t->line[s].blocking = blocking;
    return s;
}

/* The legacy default stream goes on waiting for what the stream was asked for: its line stays. */
void timeline_close(struct timeline *t, unsigned stream)
{
    t->line[stream].open = false;
}

const struct horizon *timeline_before_next(struct timeline *t, unsigned stream)
{
    struct horizon *horizon = &t->line[stream].horizon;

    horizon_join(horizon, &t->host);
    horizon_join(horizon, &t->serial);
    for (unsigned s = 1; stream == 0 && s < t->lines; s++)
        if (t->line[s].blocking)
            horizon_join(horizon, &t->line[s].horizon);
    if (stream != 0 && t->line[stream].blocking)
        horizon_join(horizon, &t->line[0].horizon);
    return horizon;
}

struct moment timeline_add(struct timeline *t, unsigned stream)
{
    struct horizon *horizon = &t->line[stream].horizon;

    timeline_before_next(t, stream);
    make_room(horizon, stream + 1);
    return (struct moment){stream, ++horizon->known[stream]};
}

void timeline_stream_waits(struct timeline *t, unsigned stream, const struct horizon *horizon)
{
    timeline_before_next(t, stream);
    horizon_join(&t->line[stream].horizon, horizon);
}

void timeline_host_waits(struct timeline *t, const struct horizon *horizon)
{
    horizon_join(&t->host, horizon);
}

void timeline_host_waits_for_stream(struct timeline *t, unsigned stream)
{
    if (stream == 0)
        timeline_before_next(t, stream);
    horizon_join(&t->host, &t->line[stream].horizon);
}

void timeline_host_waits_for_all(struct timeline *t)
{
    for (unsigned s = 0; s < t->lines; s++)
        horizon_join(&t->host, &t->line[s].horizon);
}

const struct horizon *timeline_host(const struct timeline *t)
{
    return &t->host;
}

void timeline_serialise(struct timeline *t)
{
    for (unsigned s = 0; s < t->lines; s++)
        horizon_join(&t->serial, &t->line[s].horizon);
}
