/* What an exercise's exercise.c includes: what is right, and what counts as done. It is the
 * marker's: no program of a student ever holds it. It is compiled once for each type of elements,
 * as C, with ints that wrap.
 *
 *     #include "exercise.h"
 *
 *     const struct exercise exercise = {
 *         .title = "add up each tile",
 *         .types = "int float double",
 *         .size = {{"n", {4096, 1, 1000}, .draw = {{2, 1, 4000}}}},
 *     };
 *
 *     void arrays(void)
 *     {
 *         double n = size("n");
 *
 *         in("in", ELEM, n);
 *         out("sums", ELEM, ceil(n / 256));
 *     }
 *
 *     void reference(void)
 *     {
 *         for (size_t i = 0; i < size("n"); i++)
 *             elems("sums")[i / 256] += elems("in")[i];
 *     }
 *
 *     void judge(const struct figures *f)
 *     {
 *         double n = size("n");
 *
 *         budget("barriers", "Warps at __syncthreads() per 256 elements",
 *                256 * f->syncthreads / n, 92, n >= 4096);
 *         hint("barriers", "Which rounds of the tree need one?");
 *         if (f->wrong_index >= 1)
 *             hint("wrong,unread", "The first tile is right, another one is not.");
 *     } */
#ifndef EXERCISE_H
#define EXERCISE_H

#include "elem.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_SIZES = 2, MOST_VALUES = 32 };

/* The data of an exercise. types: those for which it is marked, in this order; the others follow
 * when the first is done. size: it takes its values in turn, then `count` that are drawn from low
 * to high, then others; with two sizes, the first values of both go together, then the second. The
 * first at which a program fails is shown: begin with one that is easy to think about. within: how
 * far a result may be off, relative to the right one. hunt: the task is to find a bug, so its lines
 * are shown only when they are asked for. note: the id of a note of the backend's that counts as a
 * finding, or NULL. */
struct exercise {
    const char *title, *types, *note;
    bool hunt;
    double within;
    struct size {
        const char *name;
        long value[MOST_VALUES];
        struct {
            int count;
            long low, high;
        } draw[2];
    } size[MOST_SIZES];
};
extern const struct exercise exercise;

/* ---- arrays ---- */

/* Calls in, out and work for each array: its name, the type of its elements, and how many there
 * are. work: memory to work with. */
void arrays(void);

enum element { ELEM, INT };
void in(const char *name, enum element type, double count);
void out(const char *name, enum element type, double count);
void work(const char *name, enum element type, double count);

/* Of the present run the size of that name; an array, on the host. */
size_t size(const char *name);
elem_t *elems(const char *name);
int *ints(const char *name);

/* Fills the outputs, which hold zeros, from the inputs. */
void reference(void);

/* Fills inputs with other than the usual values, by random numbers of 32 bits. An exercise may
 * define it. The usual values are odd ints from -255 to 255, or odd multiples of one half from -7.5
 * to 7.5: none is 0, and any sum of up to 2^20 of them is exact, in every order. */
void inputs(void);
unsigned next_random(void);

/* ---- what counts as done ---- */

/* Of a run: what was counted, summed over all launches, or of one line alone; and what is wrong. */
struct figures {
    double launches, blocks, threads; /* always of the whole run */
    double global_requests, global_lanes, global_sectors;
    double global_load_requests, global_load_lanes, global_load_sectors;
    double global_store_requests, global_store_lanes, global_store_sectors;
    double global_atomic_requests, global_atomic_lanes, global_atomic_sectors;
    double shared_requests, shared_lanes, shared_wavefronts, shared_bank_conflicts;
    double shared_load_requests, shared_load_lanes;
    double shared_load_wavefronts, shared_load_bank_conflicts;
    double shared_store_requests, shared_store_lanes;
    double shared_store_wavefronts, shared_store_bank_conflicts;
    double shared_atomic_requests, shared_atomic_lanes;
    double shared_atomic_wavefronts, shared_atomic_bank_conflicts;
    double syncthreads, syncwarps, shuffles, votes, reductions; /* warps that came to one */
    double branches, uniform_branches; /* by warps; those of them that all lanes took alike */

    double few_shared;    /* elements of shared memory that fewer than 8 lanes at a time load */
    double unnamed_lanes; /* how often a shuffle read a lane that its mask leaves out */
    double wrong_out, wrong_index;    /* the first wrong element: of which output, 0 the first */
    double wrong_got, wrong_expected; /* what it is, and what would be right */
    bool same_line;                   /* both ends of the finding are on one line */
};

/* Calls the functions below. It is called for every run; where a budget is missed, once more with
 * the figures of each line, to find the line at which the budget's value is largest. */
void judge(const struct figures *f);

/* The task: value <= limit must hold in the runs for which it applies. name: one word; means: the
 * value in words. keep: what the given program keeps already; no points, and checked first. */
void budget(const char *name, const char *means, double value, double limit, bool applies);
void keep(const char *name, const char *means, double value, double limit, bool applies);

/* Shown when one of the reasons, which commas separate, is why a program is not done; several hints
 * for one reason are shown in turn. Where it stands behind an `if`, only then. */
void hint(const char *reasons, const char *text);

/* What the student predicts in given.cu's line "PREDICT: words = ?", and what came. */
void predict(const char *words, double came);

/* Do loads, and the sectors that they touch, count as on a GPU? Not for doubles: of a double4,
 * which a GPU loads by 16 bytes, the backend counts each word as a load. */
static inline bool loads_count(void)
{
    return sizeof(elem_t) == 4;
}

/* The sum of each `tile` of n elements. */
static inline void add_up_tiles(const char *in, size_t n, size_t tile, const char *out)
{
    for (size_t i = 0; i < n; i++)
        elems(out)[i / tile] += elems(in)[i];
}

/* Whoever adds up alone what others have loaded reads each element from shared memory. In a tree
 * the rounds of few lanes read less: nearly half of them where in each round every second thread of
 * those before adds, and with blocks that are not full somewhat more. */
static inline void keep_lanes_at_work(const struct figures *f, double n)
{
    keep("shared", "Loads from shared memory by fewer than 8 lanes at a time, per element",
         f->few_shared / n, 0.75, n >= 4096);
    hint("shared", "A few lanes do the work of all: let all threads of the block take part, as in "
                   "a tree.");
}

/* Two budgets to keep of a sum of n elements: the threads of a kernel add, neither the host nor a
 * few threads alone. hint_to_store: the hint of the first. */
static inline void keep_threads_at_work(const struct figures *f, double n,
                                        const char *hint_to_store)
{
    /* Whoever stores all elements somewhere else can have the host add them. */
    keep("stores", "Elements and results that are stored, or added by atomics, per element",
         (f->global_store_lanes + f->global_atomic_lanes) / n, 0.2, n >= 1000);
    hint("stores", hint_to_store);
    keep_lanes_at_work(f, n);
}

#endif
