/* Included by an exercise's exercise.c, which has the right results, and what counts as done. It is
 * the marker's: no program of a student ever holds it. It is compiled once for each type of
 * elements, as C, with ints that wrap.
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

/* The data of an exercise. With two sizes, the first values of both go together, then the second.
 * The first sizes at which a program fails are shown: begin with some that are easy to think about.
 */
struct exercise {
    const char *title;
    const char *types; /* marked in this order, each when the one before it is done */
    bool hunt;         /* the task is to find a bug, so its lines are shown only on demand */
    double within;     /* how far a result may be off, relative to the right one */
    struct size {
        const char *name;
        long value[MOST_VALUES]; /* taken in turn, then those that are drawn */
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
 * define it. The usual values are odd numbers, or their halves: none is 0. They are as large
 * as they can be while any sum of them, up to 2^20, is exact in every order; so neither shorts nor,
 * for doubles and ints, floats will do. */
void inputs(void);
unsigned next_random(void);

/* An index of the last 2048 elements, or as many as are left. They belong to the last block where
 * each has so many side by side, and to the last eight where each takes 256 in turn: a second
 * launch that leaves out blocks misses it. */
static inline size_t far_behind(size_t n)
{
    return n - 1 - next_random() % ((n - 1) % 2048 + 1);
}

/* Draws elements of one sign (1, -1) that are near to each other: floats differ in digits that an
 * int lacks, doubles in digits that a float lacks, ints as they may. None is 0. */
static inline void draw_near(elem_t *elems, size_t count, int sign)
{
    unsigned whole = next_random();

    for (size_t i = 0; i < count; i++) {
        double x = ELEM_IS_INT           ? next_random() % (1 << 30)
                   : sizeof(elem_t) == 4 ? whole % 8 + next_random() % (1 << 20) * 0x1p-20
                                         : whole % (1 << 20) + next_random() % (1 << 30) * 0x1p-32;
        elems[i] = (elem_t)(sign * (x + 1));
    }
}

/* Draws elements that are far from 0, of one sign or, where sign is 0, of both: ints beyond 2^30,
 * the least int among them, so that a difference of two of them overflows; floats far beyond all
 * ints. */
static inline void draw_far(elem_t *elems, size_t count, int sign)
{
    for (size_t i = 0; i < count; i++) {
        double x = exp2(30) + next_random() % (1 << 30), own = next_random() % 2 ? 1 : -1;
        elems[i] = (elem_t)((sign ? sign : own) * x * (ELEM_IS_INT ? 1 : exp2(33)));
    }
    if (sign <= 0)
        elems[count / 2] = (elem_t)-exp2(ELEM_IS_INT ? 31 : 64);
}

/* ---- what counts as done ---- */

/* Of a run: what was counted, summed over all launches; and what is wrong. */
struct figures {
    double launches, blocks, threads;
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
    double syncthreads, syncwarps, shuffles, votes, reductions; /* by warps */
    double shuffle_lanes; /* that called a shuffle, summed over shuffles */
    double branches;      /* by warps */

    double busy_threads; /* threads that load or store something; others only fill the grid */
    double most_blocks, most_threads; /* of the launch whose threads load most often */
    double busiest;        /* elements of global memory that the warp with most of them loads */
    double busiest_shared; /* likewise of shared memory; of both summed over the launches */
    double few_shared;     /* elements of shared memory that at most 16 lanes at a time load, behind
                              the fourth such load in a row, with no barrier or shuffle between */
    double unnamed_lanes;  /* how often a shuffle read a lane that its mask leaves out */
    double active_masks;   /* how often lanes asked for __activemask() */
    double fences;         /* how often threads called __threadfence() */
    double wrong_out, wrong_index;    /* the first wrong element: of which output, 0 the first */
    double wrong_got, wrong_expected; /* what it is, and what would be right */
    bool same_line, same_warp;        /* both ends of the finding are on one line; of one warp */
};

/* Calls the functions below. It is called for every run; where a budget is missed, once more
 * without each line's figures, to find the line without which its value would be least. */
void judge(const struct figures *f);

/* The task: value <= limit must hold in the runs for which it applies. name: one word; means: the
 * value in words. keep: the given program meets it already: no points, and checked first. */
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

/* The sectors of global memory that are loaded: 32 elements that lie side by side are 4. Not
 * sectors/request, which 16-byte loads raise to 16 and elements that are loaded twice leave at 4.
 */
static inline void keep_coalesced(const struct figures *f, double n)
{
    keep("sectors", "Sectors per 32 elements that are loaded", 32 * f->global_load_sectors / n, 4.8,
         n >= 4096 && loads_count());
    hint("sectors",
         "The loads were coalesced: neighbouring lanes load neighbouring elements, and each "
         "element is loaded once.");
}

/* Where the task is to save what all warps of a block do, it is not saved by warps without work. A
 * vector may leave half of the threads without any. */
static inline void keep_busy(const struct figures *f, double n)
{
    keep("idle", "Threads that are launched for each that loads an element, but for a block or two",
         (f->threads - 2 * f->threads / f->blocks) / f->busy_threads, 2, n >= 60000);
    hint("idle", "Threads that return at once take the place of others that would work: launch as "
                 "many as have elements.");
}

/* What the busiest warp loads of the tile of its block, where 1 is an equal share. */
static inline double share(const struct figures *f, double busiest, double n, double tile)
{
    double warps = f->most_threads / f->most_blocks / 32, tiles = ceil(n / tile);

    return busiest * warps / (tile * ceil(tiles / f->most_blocks));
}

/* Where the task names a block's tile, and that all warps load: a warp that does the work of all is
 * not hidden by others that load what nobody uses. Blocks that loop over several tiles, and grids
 * that are too large, are right; and a second launch may have blocks of another size. */
static inline void keep_share(const struct figures *f, double n, double tile, double limit)
{
    keep("share", "Elements that the busiest warp loads, where 1 is an equal share of its block's",
         share(f, f->busiest, n, tile), limit, n >= 4096);
    hint("share", "One warp loads more than its share, and the others wait for it: in each block, "
                  "also in the last one, all warps load about as many elements.");
}

/* Likewise, where each element of a block's tile is loaded once from shared memory. */
static inline void keep_share_of_shared(const struct figures *f, double n, double tile)
{
    keep("shared",
         "Words that the busiest warp loads from shared memory, where 1 is an equal share",
         share(f, f->busiest_shared, n, tile), 2.5, n >= 4096);
    hint("shared", "Behind the barrier one warp does the work of all, and the others have ended or "
                   "wait for it: all warps take part, as before.");
}

/* A kernel that reduces n elements to so many results, through shared memory or by shuffles, works
 * side by side, in rounds of which each has fewer values, as in a tree. */
static inline void keep_lanes_at_work(const struct figures *f, double n, double results)
{
    /* In each round of a tree a thread loads two words, or a few; and thread 0 may add the sums of
     * 32 warps. Few loads per element are no work; in a last block that is not full 16 lanes may
     * load 32 words each. */
    double few = fmax(f->few_shared - 512, 0);

    /* A block may take tiles one after the other, with a barrier or two for each: a thread that
     * comes to so many barriers counts as several. A tree has about ten for one tile. */
    double visits = 32 * f->syncthreads;

    /* A barrier or a shuffle begins a new row of loads, also one that nobody needs. A warp that
     * comes to one after a few loads has less of them than threads, or than values that are stored
     * there, as long as it adds in rounds. */
    double pauses = f->shuffles + f->votes + f->syncwarps +
                    32 * f->blocks / fmax(f->threads, 1) * f->syncthreads;
    if (f->shared_load_lanes < 16 * f->shared_load_requests &&
        f->shared_load_requests < 8 * pauses &&
        f->shared_load_requests > 0.75 * fmax(f->threads, f->shared_store_lanes / 2))
        few = fmax(few, f->shared_load_requests);

    keep("one-block", "Launches of one block, where many have as much to do",
         f->blocks <= f->launches ? f->launches : 0, 0, n > 1 << 16);
    hint("one-block", "A block runs on one multiprocessor, and a GPU has a hundred: launch a block "
                      "for each part of the input.");

    keep("serial", "Loads from shared memory by few lanes, one after the other, per thread",
         few / n > 0.01 ? few / fmax(f->threads, visits / 4) : 0, 0.25, n >= 4096);

    /* The first warp of a tree loads up to half of all words, but two or so in a round; where all
     * warps load as many, each may load many, also as vectors, which take more wavefronts. */
    double words = sizeof(elem_t) / 4.0, busiest = f->busiest_shared / f->launches;
    double loaded = fmax(f->shared_load_lanes, 32 / words * f->shared_load_wavefronts);
    bool alone = busiest * f->threads / 32 > 2.5 * loaded;
    keep("one-warp",
         "Words that each lane of one warp loads from shared memory, beyond 4 per barrier",
         alone ? busiest / 32 - 4 * visits / f->threads : 0, 32, n >= 4096);
    hint("serial,one-warp",
         "A few lanes or warps do the work of all: let all threads of the block take "
         "part, as in a tree, and launch a block for each part of the input.");

    if (f->shared_load_lanes + f->shared_atomic_lanes == 0 && f->syncthreads + f->syncwarps >= 1)
        hint("wrong", "There are barriers, but no thread loads from shared memory. What is loaded "
                      "behind the barrier? An array without __shared__ is each thread's own.");

    /* A tree loads a word twice, and all threads may look at the sums of 16 warps. Threads that all
     * add all words load each many times, by as many requests as threads have stored one. Words
     * that are loaded once, such as copies of counts, may be many. */
    double each = f->shared_load_lanes > 4 * f->shared_store_lanes
                      ? 32 * fmin(f->shared_load_requests, f->shared_store_lanes)
                      : 0;
    if (f->shared_load_lanes > 4 * n && f->shared_load_lanes > 2 * f->shared_store_lanes)
        each = fmax(each, f->shared_load_lanes);

    keep("repeated", "Loads from shared memory per thread, of what other threads load, too",
         each / fmax(f->threads, visits / 2), 20, n >= 4096);
    hint("repeated",
         "All threads do the same work, one word after the other: let each add only what "
         "no other one adds, as in a tree.");

    /* Five shuffles, of a double one for each word, or ten where all warps join the warps' results;
     * and a warp stores one, but for those of the last block, which may have nothing to store. A
     * tree in shared memory has about one barrier for each store. */
    double last = 10 * f->threads / 32 / f->blocks;
    keep("shuffles", "Shuffles, votes or barriers of a warp, per value that it then stores",
         fmax(fmax(fmax(f->shuffles / words, f->votes), fmax(f->syncwarps, f->syncthreads)) - last,
              0) /
             fmax(results, f->global_store_requests + f->global_atomic_requests +
                               f->shared_store_requests + f->shared_atomic_requests),
         12, n >= 4096);
    hint("shuffles", "32 lanes are joined in five rounds: by 16, 8, 4, 2 and 1. After each round "
                     "half as many lanes hold a value that is still needed.");
    hint("shuffles", "Join them once: before that, each thread joins in a register what it loads.");
}

/* Of results that the inputs allow to be exact, and from which no missing element is so near. */
static inline void hint_at_digits(const struct figures *f)
{
    if (fabs(f->wrong_got - f->wrong_expected) <= fabs(f->wrong_expected) / 1000)
        hint("wrong", "This is nearly right. Does a value go through a variable that has fewer "
                      "digits than an elem_t, such as a float where elements are ints or doubles?");
}

/* Of a sum of n elements: the threads of a kernel add, neither the host nor a few threads alone.
 * hint_to_store: the hint of the first budget. */
static inline void keep_threads_at_work(const struct figures *f, double n, double results,
                                        const char *hint_to_store)
{
    /* Of floats each round of an atomic on shared memory is a request, in which one lane of those
     * that want a word is done. */
    double in_turn = ELEM_IS_INT ? f->shared_atomic_lanes : f->shared_atomic_requests;

    /* A program that stores all elements somewhere else can have the host add them. */
    keep("stores", "Elements and results that are stored, or added by atomics, per element",
         (f->global_store_lanes + f->global_atomic_lanes + in_turn) / n, 0.2, n >= 4096);
    hint("stores", in_turn < 0.1 * n ? hint_to_store
                                     : "Within a block threads add in a tree: atomics on one word "
                                       "come one after the other.");
    keep_lanes_at_work(f, n, results);
}

#endif
