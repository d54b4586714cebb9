/* Gathers findings: each bug once, causes instead of their symptoms. */
#include "judge/finding.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Nobody would read more places than these. */
enum { MOST = 1000 };

static struct finding kept[MOST];
static size_t kept_count;
static uint64_t left_out; /* findings beyond MOST */
static bool closed;       /* they are being told: nothing is added */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

struct actor finding_actor(const struct lane *lane, uint32_t pc, unsigned operation, unsigned size)
{
    return (struct actor){.pc = pc,
                          .block = lane->block->number,
                          .thread = (uint16_t)lane->index,
                          .operation = (uint8_t)operation,
                          .size = (uint8_t)size};
}

struct finding finding_of(enum finding_kind kind, const struct lane *lane, uint32_t pc,
                          unsigned operation, unsigned size)
{
    return (struct finding){.kind = kind,
                            .launch = *lane->block->launch,
                            .actor[0] = finding_actor(lane, pc, operation, size),
                            .actors = 1};
}

struct actor finding_host(const void *pc, unsigned operation, size_t size)
{
    return (struct actor){.pc = code_offset(pc),
                          .operation = (uint8_t)operation,
                          .size = size <= UINT8_MAX ? (uint8_t)size : 0};
}

void finding_text(char *text, size_t room, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    vsnprintf(text + used, room - used, format, args);
    va_end(args);
}

/* Is a the cause, and b a symptom of it at the same place? A race has two places. */
static bool is_cause(const struct finding *a, const struct finding *b)
{
    enum kind_family more = kinds[a->kind].family, less = kinds[b->kind].family;
    const struct source_line *at = a->line, place = b->line[0];
    bool race = more == KIND_RACE && less == KIND_RACE_SYMPTOM;
    bool overrun = more == KIND_BOUNDS && less == KIND_BOUNDS_SYMPTOM;

    return strcmp(a->kernel, b->kernel) == 0 &&
           ((race && (source_same(at[0], place) || source_same(at[1], place))) ||
            (overrun && source_same(at[0], place)));
}

/* Are the two the same bug? Which of its two threads came first does not matter. */
static bool same_bug(const struct finding *a, const struct finding *b)
{
    const struct source_line *x = a->line, *y = b->line;

    return a->kind == b->kind && a->actors == b->actors && strcmp(a->kernel, b->kernel) == 0 &&
           ((source_same(x[0], y[0]) && source_same(x[1], y[1])) ||
            (source_same(x[0], y[1]) && source_same(x[1], y[0])));
}

/* Counts the finding if one of the same kind and pcs is there; else false. Looks up no lines. */
static bool is_counted(const struct finding *new)
{
    if (new->actors == 0 || new->line[0].line != 0 || new->line[1].line != 0)
        return false;
    for (struct finding *k = kept; k < kept + kept_count; k++)
        if (k->kind == new->kind && k->actor[0].pc == new->actor[0].pc &&
            k->actor[1].pc == new->actor[1].pc) {
            k->count += new->count;
            return true;
        }
    return false;
}

/* Looks up the lines of the actors. A finding without an actor is at the launch's call. */
static void find_lines(struct finding *finding)
{
    const struct simt_site *call = &finding->launch.site;

    for (int i = 0; i < 2; i++)
        if (i < finding->actors && finding->line[i].line <= 0)
            finding->line[i] = source_line_at(finding->actor[i].pc);
        else if (i >= finding->actors)
            finding->line[i] = finding->actors == 0 && call->line > 0
                                   ? (struct source_line){call->file, call->line}
                                   : (struct source_line){"?", 0};
}

/* Does a loop's body begin in the line of its head? */
static bool has_body(const char *line)
{
    int depth = 0;

    for (; *line && (*line != ';' || depth > 0); line++)
        depth += (*line == '(') - (*line == ')');
    return *line != '\0';
}

/* g++ keeps the word of a loop such as `for (…) s += a[i];` in a register, and loads and stores it
 * around the loop, at the lines of what stands there. store: the actor that may do so. */
static void note_moved(struct finding *finding, int store)
{
    struct source_line line = finding->line[store];
    char text[200];
    bool head =
        !strncmp(source_text(line, text, sizeof text), "for (", 5) || !strncmp(text, "while", 5);

    if (finding->actor[store].operation == EVENT_STORE &&
        ((head && !has_body(text)) || !strncmp(text, "} while", 7)))
        finding_write(finding,
                      "%sIf line %d does not use the word, its loop does: g++ has moved the load "
                      "in front of it and the store behind. simtcc --strict names the line.",
                      *finding->detail ? " " : "", line.line);
}

/* An error that nobody looked at is told in front of the findings of later launches; in front of
 * others of its launch a race, before garbage and a deadlock, and a value that no lane has passed,
 * before the address that it became. */
static bool goes_before(const struct finding *new, const struct finding *k)
{
    if (new->kind == FINDING_UNSEEN_ERROR)
        return k->launch.number > new->behind;
    if (k->launch.number != new->launch.number)
        return false;
    if (new->kind == FINDING_WARP_OPERATION)
        return kinds[k->kind].family == KIND_BOUNDS;
    return (k->kind == FINDING_UNINITIALISED || k->kind == FINDING_UNWRITTEN ||
            k->kind == FINDING_DEADLOCK) &&
           kinds[new->kind].family == KIND_RACE;
}

static void insert(const struct finding *new)
{
    struct finding *k = kept + kept_count;

    while (k > kept && goes_before(new, k - 1))
        k--;
    memmove(k + 1, k, (size_t)(kept + kept_count++ - k) * sizeof *k);
    *k = *new;
}

static void keep(struct finding *new)
{
    struct finding *k = kept, *end = kept + kept_count;

    for (; k < end; k++)
        if (is_cause(k, new)) {
            return;
        } else if (same_bug(k, new)) {
            k->count += new->count;
            return;
        }
    for (k = kept; k < kept + kept_count;)
        if (is_cause(new, k))
            memmove(k, k + 1, (size_t)(kept + --kept_count - k) * sizeof *k);
        else
            k++;
    if (kept_count == MOST)
        left_out++;
    else
        insert(new);
}

void finding_add(const struct finding *finding)
{
    static struct finding new;

    pthread_mutex_lock(&lock);
    new = *finding;
    new.count += new.count == 0;
    if (!closed && !is_counted(&new)) {
        if (new.launch.site.kernel)
            snprintf(new.kernel, sizeof new.kernel, "%s", source_kernel(&new.launch.site));
        find_lines(&new);
        note_moved(&new, new.actor[0].operation != EVENT_STORE);
        keep(&new);
    }
    pthread_mutex_unlock(&lock);
}

bool finding_any(void)
{
    for (size_t i = 0; i < kept_count; i++)
        if (!kinds[kept[i].kind].note)
            return true;
    return false;
}

const struct finding *finding_all(size_t *count, uint64_t *beyond)
{
    pthread_mutex_lock(&lock);
    closed = true;
    pthread_mutex_unlock(&lock);
    *count = kept_count;
    *beyond = left_out;
    return kept;
}
