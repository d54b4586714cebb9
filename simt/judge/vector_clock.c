/* Vector clocks as Patricia trees (Okasaki and Gill, "Fast Mergeable Integer Maps"). */
#include "judge/sync.h"
#include "run/array.h"

/* Limits: nodes of trees, clocks, and steps of joining, which take some seconds. */
enum { MOST_NODES = 80 << 20, MOST_CLOCKS = 40 << 20, MOST_STEPS = 1 << 28 };

/* The lowest bit that is set in a node's key tells leaves from branches. In a leaf it is bit 0, and
 * the key of the map lies above it. In a branch it is the bit in which the keys below differ, and
 * the bits above are those that they share. */
typedef uint32_t tree; /* index of its root; 0: empty */
struct node {
    uint64_t key;   /* see above */
    uint32_t left;  /* branch: the subtree whose keys have 0 in the bit; leaf: the time */
    uint32_t right; /* branch: the other subtree */
};

/* How a clock was made: the join of a and b; or, if b is 0, a with one more key. */
struct clock {
    uint64_t key; /* b = 0: the key, */
    vector_clock a, b;
    uint32_t time; /* and its time */
    tree tree;     /* its map; UNKNOWN: not built yet */
};
#define UNKNOWN UINT32_MAX

static struct node *node;  /* from index 1 on */
static struct clock *made; /* from index 1 on */
static size_t node_room, vector_clock_room;
static uint32_t nodes, clocks, steps; /* how many there are; steps of joining so far */
static bool full;                     /* a limit was reached */

/* ---- trees ---- */

static uint64_t parting_bit(uint64_t key)
{
    return key & -key;
}

/* Do the two agree in all bits above this one? */
static bool agree_above(uint64_t a, uint64_t b, uint64_t bit)
{
    return ((a ^ b) & -(bit << 1)) == 0;
}

static tree add_node(uint64_t key, uint32_t left, uint32_t right)
{
    if (!array_room((void **)&node, nodes + 1, &node_room, MOST_NODES, sizeof *node)) {
        full = true;
        return 0;
    }
    node[++nodes] = (struct node){key, left, right};
    return nodes;
}

static uint32_t time_in(tree t, uint64_t key)
{
    key = key << 1 | 1;
    while (t) {
        const struct node *n = &node[t];
        uint64_t bit = parting_bit(n->key);
        if (bit == 1)
            return n->key == key ? n->left : 0;
        if (!agree_above(n->key, key, bit))
            return 0;
        t = key & bit ? n->right : n->left;
    }
    return 0;
}

/* A branch above two trees that have no key in common. */
static tree part(tree a, tree b)
{
    uint64_t differ = node[a].key ^ node[b].key, bit = 1ull << (63 - __builtin_clzll(differ));
    uint64_t key = (node[a].key & -(bit << 1)) | bit;

    return node[a].key & bit ? add_node(key, b, a) : add_node(key, a, b);
}

static tree join(tree a, tree b);

/* The branch `above` joined with the tree `below`, whose keys all lie under it. */
static tree join_below(tree above, tree below)
{
    struct node n = node[above];
    tree *side = node[below].key & parting_bit(n.key) ? &n.right : &n.left;
    tree joined = join(*side, below);

    if (joined == *side)
        return above;
    *side = joined;
    return add_node(n.key, n.left, n.right);
}

static tree join(tree a, tree b)
{
    if (a == b || !b)
        return a;
    if (!a)
        return b;
    struct node x = node[a], y = node[b];
    uint64_t x_bit = parting_bit(x.key), y_bit = parting_bit(y.key);

    if (++steps >= MOST_STEPS)
        full = true;
    if (full)
        return a;
    if (x.key != y.key) {
        if (!agree_above(x.key, y.key, x_bit > y_bit ? x_bit : y_bit) || x_bit == y_bit)
            return part(a, b);
        return x_bit > y_bit ? join_below(a, b) : join_below(b, a);
    }
    if (x_bit == 1)
        return x.left >= y.left ? a : b;
    tree left = join(x.left, y.left), right = join(x.right, y.right);
    if (left == x.left && right == x.right)
        return a;
    return left == y.left && right == y.right ? b : add_node(x.key, left, right);
}

/* ---- clocks ---- */

/* Makes a new clock, from the one that was there. */
static void make(vector_clock *clock, struct clock new)
{
    if (!array_room((void **)&made, clocks + 1, &vector_clock_room, MOST_CLOCKS, sizeof *made)) {
        full = true;
        return;
    }
    made[++clocks] = new;
    *clock = clocks;
}

enum { LOOK_BACK = 4 };

/* Is it clear without looking into them that the clock holds the other? It does if it was made from
 * it in the last few steps, as where a thread polls. */
static bool holds(vector_clock clock, vector_clock other)
{
    vector_clock back = clock;

    for (int i = 0; back && i < LOOK_BACK; i++, back = made[back].a)
        if (back == other || made[back].b == other)
            return true;
    return other == 0;
}

void vector_clock_join(vector_clock *clock, vector_clock other)
{
    if (!holds(*clock, other) && holds(other, *clock))
        *clock = other;
    else if (!holds(*clock, other))
        make(clock, (struct clock){.a = *clock, .b = other, .tree = UNKNOWN});
}

void vector_clock_add(vector_clock *clock, uint64_t key, uint32_t time)
{
    if (time > 0)
        make(clock, (struct clock){.key = key, .a = *clock, .time = time, .tree = UNKNOWN});
}

static tree tree_of(vector_clock clock)
{
    return clock ? made[clock].tree : 0;
}

/* Builds the clock's tree behind those of the clocks it was made from, which wait on a stack. */
static void build(vector_clock clock)
{
    static vector_clock *stack;
    static size_t room;
    size_t depth = 0;

    for (*ARRAY_ADD(stack, depth, room) = clock; depth;) {
        struct clock *c = &made[stack[depth - 1]];
        vector_clock first = tree_of(c->a) == UNKNOWN ? c->a : tree_of(c->b) == UNKNOWN ? c->b : 0;
        if (first) {
            *ARRAY_ADD(stack, depth, room) = first;
            continue;
        }
        c->tree = c->b ? join(tree_of(c->a), tree_of(c->b))
                       : join(tree_of(c->a), add_node(c->key << 1 | 1, c->time, 0));
        depth--;
    }
}

uint32_t vector_clock_at(vector_clock clock, uint64_t key)
{
    if (!clock)
        return 0;
    if (made[clock].tree == UNKNOWN)
        build(clock);
    return time_in(made[clock].tree, key);
}

bool vector_clock_lack(void)
{
    return full;
}

void vector_clock_drop(vector_clock last)
{
    clocks = last;
}

void vector_clock_forget(void)
{
    nodes = clocks = steps = 0;
    full = false;
}
