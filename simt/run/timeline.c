/* Vector clocks of the host and the streams. */
#include "run/timeline.h"
#include "run/end.h"

#include <stdlib.h>
#include <string.h>

struct line {
    struct past past; /* of its next operation; its own ones are part of it */
    bool open, blocking;
};

struct timeline {
    struct past host, serial; /* serial: what every operation comes after */
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

static void make_room(struct past *past, unsigned count)
{
    if (past->count >= count)
        return;
    past->known = resized(past->known, count, sizeof *past->known);
    memset(past->known + past->count, 0, (count - past->count) * sizeof *past->known);
    past->count = count;
}

void past_join(struct past *past, const struct past *more)
{
    make_room(past, more->count);
    for (unsigned s = 0; s < more->count; s++)
        if (past->known[s] < more->known[s])
            past->known[s] = more->known[s];
}

void past_free(struct past *past)
{
    free(past->known);
    *past = (struct past){0, NULL};
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
        past_free(&t->line[s].past);
    past_free(&t->host);
    past_free(&t->serial);
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
        t->line[s].past = (struct past){0, NULL};
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

const struct past *timeline_before_next(struct timeline *t, unsigned stream)
{
    struct past *past = &t->line[stream].past;

    past_join(past, &t->host);
    past_join(past, &t->serial);
    for (unsigned s = 1; stream == 0 && s < t->lines; s++)
        if (t->line[s].blocking)
            past_join(past, &t->line[s].past);
    if (stream != 0 && t->line[stream].blocking)
        past_join(past, &t->line[0].past);
    return past;
}

struct moment timeline_add(struct timeline *t, unsigned stream)
{
    struct past *past = &t->line[stream].past;

    timeline_before_next(t, stream);
    make_room(past, stream + 1);
    return (struct moment){stream, ++past->known[stream]};
}

void timeline_stream_waits(struct timeline *t, unsigned stream, const struct past *past)
{
    timeline_before_next(t, stream);
    past_join(&t->line[stream].past, past);
}

void timeline_host_waits(struct timeline *t, const struct past *past)
{
    past_join(&t->host, past);
}

void timeline_host_waits_for_stream(struct timeline *t, unsigned stream)
{
    if (stream == 0)
        timeline_before_next(t, stream);
    past_join(&t->host, &t->line[stream].past);
}

void timeline_host_waits_for_all(struct timeline *t)
{
    for (unsigned s = 0; s < t->lines; s++)
        past_join(&t->host, &t->line[s].past);
}

const struct past *timeline_host(const struct timeline *t)
{
    return &t->host;
}

void timeline_serialise(struct timeline *t)
{
    for (unsigned s = 0; s < t->lines; s++)
        past_join(&t->serial, &t->line[s].past);
}
