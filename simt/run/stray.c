/* Runs shadows. A thread at rest consists of its stack, with its registers on top. A shadow is a
 * copy of that; it takes the place of the lane's stack while the shadow runs. Its stores are
 * undone. */
#include "run/block.h"
#include "run/array.h"

#include <stdlib.h>
#include <string.h>

/* The undefined value in each of the shadows: the smallest float and double (the lane itself has
 * the largest), and the largest and smallest integers, of 4 and of 8 bytes. In each minimum and
 * maximum one of them wins, and each shows in sums and products. In one more it is the value that
 * the lane passes, as in a comparison of neighbours. */
static const uint64_t values[] = {
    0xffefffffff7fffff,                     /* float, double */
    0x7fffffff7fffffff, 0x8000000080000000, /* signed integers */
    0xffffffffffffffff, 0,                  /* unsigned integers */
};
enum { OWN = sizeof values / sizeof *values, SHADOWS, SALTED = 2 };

/* One of the values is another one each time, so that two of them cannot cancel out. */
static uint64_t value_of(int shadow)
{
    static unsigned count;

    return values[shadow] + (shadow == SALTED ? ++count * 40503 % 65536 : 0);
}

/* A thread where it waits for its next turn. */
struct context {
    fiber_t fiber;
    char *stack;       /* a copy of the stack from there on */
    size_t size, room; /* bytes of the copy; bytes that fit there */
};

struct shadow {
    struct context at;
    bool gone;        /* it ran for too long: it no longer counts */
    struct deed deed; /* its last one */
    uint64_t result;  /* of its last warp operation */
};

/* Bytes in memory that a lane or its shadow is about to change, or has loaded by a volatile load,
 * since a shadow must load the same value as its lane. */
struct change {
    char *at;
    uint8_t size;    /* bytes */
    bool looked;     /* it is a volatile load */
    char bytes[16];  /* before the change; after undo, the changed ones */
    char others[16]; /* kept to compare lane and shadow */
};
struct changes {
    struct change *change;
    size_t count, room;
};

/* A lane that has strayed: it has got a value of a lane that took no part in a shuffle. */
struct stray {
    struct context lane_at; /* the lane itself, while shadows run */
    struct changes changes; /* the lane's, since its last deed */
    struct shadow shadow[SHADOWS];
    bool fresh; /* the shadows are to begin where the lane gets its result */
    struct origin origin;
};

static struct stray *stray_of(struct lane *lane)
{
    struct stray **stray = &lane->block->stray[lane->index];

    if (!*stray && !(*stray = calloc(1, sizeof **stray)))
        array_no_memory();
    return *stray;
}

/* ---- changes of memory ---- */

static struct shadow *runs;           /* NULL: no shadow runs */
static struct changes shadow_changes; /* of the shadow that runs */
enum { MOST_STEPS = 1 << 22 };
static unsigned steps;

static void add_change(struct changes *changes, uintptr_t address, size_t size, bool looked)
{
    struct change change = {.at = (char *)address, .size = (uint8_t)size, .looked = looked};

    memcpy(change.bytes, change.at, size); /* crashes here if a shadow stores to no memory */
    *ARRAY_ADD(changes->change, changes->count, changes->room) = change;
}

/* Undoes changes, the last one first; or makes them again. */
static void exchange(struct changes *changes, bool back)
{
    char bytes[16];

    for (size_t i = 0; i < changes->count; i++) {
        struct change *change = &changes->change[back ? changes->count - 1 - i : i];
        memcpy(bytes, change->at, change->size);
        memcpy(change->at, change->bytes, change->size);
        memcpy(change->bytes, bytes, change->size);
    }
}

/* Keeps the bytes that are in memory now; are the same bytes there still? */
static void keep(struct changes *changes)
{
    for (struct change *c = changes->change; c < changes->change + changes->count; c++)
        memcpy(c->others, c->at, c->size);
}

static bool are_alike(const struct changes *changes)
{
    for (const struct change *c = changes->change; c < changes->change + changes->count; c++)
        if (!c->looked && memcmp(c->others, c->at, c->size) != 0)
            return false;
    return true;
}

void stray_stores(struct lane *lane, uintptr_t address, size_t size)
{
    if (runs && ++steps > MOST_STEPS)
        stray_fails(NULL);
    if (size > 0)
        add_change(runs ? &shadow_changes : &stray_of(lane)->changes, address, size, false);
}

/* ---- turns ---- */

/* The fiber that exchanges stacks, on a stack of its own; the lane and its deed that it is asked
 * about. */
static fiber_t keeper;
static struct lane *asks;
static struct deed asked;

static void save(struct context *context, const struct lane *lane)
{
    char *end = fiber_stack_end(&lane->block->stacks, (int)lane->index);

    context->fiber = lane->fiber;
    context->size = (size_t)(end - (char *)lane->fiber);
    if (context->room < context->size) {
        context->room = context->size;
        if (!(context->stack = realloc(context->stack, context->room)))
            array_no_memory();
    }
    memcpy(context->stack, lane->fiber, context->size);
}

static void restore(const struct context *context, struct lane *lane)
{
    lane->fiber = context->fiber;
    memcpy(lane->fiber, context->stack, context->size);
}

/* Runs the shadow to its next deed. */
static void run(struct shadow *shadow, struct lane *lane)
{
    restore(&shadow->at, lane);
    runs = shadow;
    steps = 0;
    fiber_switch(&keeper, lane->fiber);
    runs = NULL;
    shadow->deed = asked;
    shadow->gone = steps > MOST_STEPS;
    if (asked.kind != DEED_FAILS)
        save(&shadow->at, lane);
}

static bool same_deed(const struct deed *x, const struct deed *y)
{
    return x->kind == y->kind && x->a == y->a && x->b == y->b && x->c == y->c;
}

static bool same_context(const struct context *x, const struct context *y)
{
    return x->fiber == y->fiber && memcmp(x->stack, y->stack, x->size) == 0;
}

enum difference { NONE, INSIDE, IN_DEED, IN_MEMORY };

/* Lets the shadow do what its lane has done since the last deed. Does it differ? */
static enum difference compare(struct stray *stray, struct shadow *shadow, struct lane *lane,
                               const struct deed *deed)
{
    exchange(&stray->changes, true);
    run(shadow, lane);
    keep(&stray->changes);
    keep(&shadow_changes);
    exchange(&shadow_changes, true);
    exchange(&stray->changes, false);
    bool alike = are_alike(&stray->changes) && are_alike(&shadow_changes);
    shadow_changes.count = 0;
    if (shadow->gone)
        return NONE;
    if (!alike || !same_deed(deed, &shadow->deed))
        return alike ? IN_DEED : IN_MEMORY;
    return same_context(&stray->lane_at, &shadow->at) && deed->value == shadow->deed.value &&
                   deed->from == shadow->deed.from
               ? NONE
               : INSIDE;
}

/* The lane has come to this deed: compares its shadows with it. */
static void look_at_shadows(struct lane *lane, const struct deed *deed)
{
    static const char *const uses[] = {[IN_DEED] =
                                           "and what the thread does next depends on the value.",
                                       [IN_MEMORY] = "and the value reaches a store."};
    struct stray *stray = stray_of(lane);
    enum difference most = NONE;
    struct log log = lane->log;
    uint8_t form = lane->form;

    save(&stray->lane_at, lane);
    log_nothing(&lane->log); /* shadows are not observed: their hooks ask for room in vain */
    lane->log.stack = log.stack;
    lane->log.end = LOG_STOP;
    for (struct shadow *s = stray->shadow; s < stray->shadow + SHADOWS && most <= INSIDE; s++) {
        enum difference new = s->gone ? NONE : compare(stray, s, lane, deed);
        most = new > most ? new : most;
    }
    lane->log = log;
    lane->form = form; /* the lane's own operation is still to come */
    restore(&stray->lane_at, lane);
    stray->changes.count = 0;
    lane->strayed = most == INSIDE;
    if (most > INSIDE)
        warp_tell_origin(lane, &stray->origin,
                         deed->kind == DEED_ATOMIC ? "and the value reaches an atomic."
                                                   : uses[most]);
}

static void begin(struct lane *lane)
{
    struct stray *stray = stray_of(lane);

    stray->fresh = false;
    for (struct shadow *s = stray->shadow; s < stray->shadow + SHADOWS; s++) {
        save(&s->at, lane);
        s->gone = false;
    }
}

static void keep_stacks(void *unused)
{
    (void)unused;
    for (;;) {
        struct lane *lane = asks;
        struct deed deed = asked;
        if (stray_of(lane)->fresh)
            begin(lane);
        else
            look_at_shadows(lane, &deed);
        fiber_switch(&keeper, lane->fiber);
    }
}

/* Returns in the lane, and in each of its shadows when that runs on. */
static void ask(struct lane *lane)
{
    static struct fiber_stacks stack;

    if (!keeper) {
        if (!fiber_stacks_fit(&stack, 1, false))
            array_no_memory();
        keeper = fiber_new(&stack, 0, keep_stacks, NULL);
    }
    asks = lane;
    fiber_switch(&lane->fiber, keeper);
}

bool stray_meets(struct lane *lane, const struct deed *deed)
{
    asked = *deed;
    ask(lane);
    return runs != NULL;
}

uint64_t stray_result(struct lane *lane)
{
    if (!runs && stray_of(lane)->fresh)
        ask(lane);
    return runs ? runs->result : lane->result;
}

bool stray_is_shadow(void)
{
    return runs != NULL;
}

void stray_fails(const void *address)
{
    if (address == FATAL_SOMEWHERE)
        steps = MOST_STEPS + 1;
    stray_meets(asks, &(struct deed){.kind = DEED_FAILS, .a = (uintptr_t)address});
    __builtin_unreachable();
}

void stray_looks(struct lane *lane, uintptr_t address, size_t size)
{
    if (!stray_meets(lane, &(struct deed){.kind = DEED_LOOK, .a = address}) && lane->strayed)
        add_change(&stray_of(lane)->changes, address, size, true);
}

/* ---- shuffles ---- */

/* Shadow number s of a lane; NULL: it has none, or that no longer counts. */
static struct shadow *shadow_of(struct lane *lane, int s)
{
    struct shadow *shadow = lane->strayed ? &stray_of(lane)->shadow[s] : NULL;

    return shadow && !shadow->gone ? shadow : NULL;
}

/* Lane i gets another value than its shadows, from the lane `source`: it strays. absent: that lane
 * took no part; otherwise it had strayed itself. */
static void go_astray(struct lane *lanes, int i, int source, bool absent)
{
    struct stray *new = stray_of(&lanes[i]);

    if (absent)
        new->origin = (struct origin){lanes[i].pc, i, source, lanes[i].group ? lanes[i].rank : -1,
                                      lanes[i].mask};
    else if (!lanes[i].strayed)
        new->origin = stray_of(&lanes[source])->origin;
    new->fresh |= !lanes[i].strayed;
    if (!lanes[i].strayed)
        new->changes.count = 0;
    lanes[i].strayed = true;
}

/* Complains of lanes whose source is in the mask and has ended. Returns these lanes. */
static unsigned tell_ended(struct lane *lanes, unsigned absent, const int sources[WARP_SIZE])
{
    unsigned ended = 0;

    EACH_LANE(i, absent) {
        const struct launch *launch = lanes[i].block->launch;
        bool named = lanes[i].mask >> sources[i] & 1;
        lane_so_far.unnamed_reads += !named;
        if (!named || lanes[0].index + (unsigned)sources[i] >= launch->threads)
            continue;
        warp_tell_origin(&lanes[i], &(struct origin){lanes[i].pc, i, sources[i], -1, lanes[i].mask},
                         "");
        ended |= 1u << i;
    }
    return ended;
}

void stray_spread(struct lane *lanes, enum simt_warp_op op, unsigned arrived,
                  const int sources[WARP_SIZE])
{
    uint64_t value[WARP_SIZE], result[SHADOWS][WARP_SIZE];
    unsigned absent = 0, ended, others = 0, strayed = 0;
    int from[WARP_SIZE], first = 0;

    EACH_LANE(i, arrived) {
        absent |= (unsigned)!(arrived >> sources[i] & 1) << i;
        strayed |= (unsigned)lanes[i].strayed << i;
    }
    ended = tell_ended(lanes, absent, sources);
    if (!simt_observer.complaint || !observer_sees || !(strayed | (absent & ~ended)))
        return;
    first = strayed ? __builtin_ctz(strayed) : 0;
    for (int s = 0; s < SHADOWS; s++) {
        EACH_LANE(i, arrived) {
            const struct shadow *shadow = shadow_of(&lanes[i], s);
            value[i] = shadow ? shadow->deed.value : lanes[i].value;
            from[i] = shadow ? shadow->deed.from : sources[i];
        }
        warp_results(op, arrived, value, from, result[s]);
        EACH_LANE(i, arrived) {
            if (ended >> i & 1)
                result[s][i] = lanes[i].result;
            else if (!(arrived >> from[i] & 1))
                result[s][i] = s == OWN ? value[i] : value_of(s);
            others |= (unsigned)(result[s][i] != lanes[i].result) << i;
        }
    }
    EACH_LANE(i, arrived) {
        bool is_absent = absent & ~ended & 1u << i;
        bool of_one = is_absent || strayed >> sources[i] & 1;
        if (others >> i & 1)
            go_astray(lanes, i, of_one ? sources[i] : first, is_absent);
        for (int s = 0; s < SHADOWS && lanes[i].strayed; s++)
            stray_of(&lanes[i])->shadow[s].result = result[s][i];
    }
}
