/* Where a warp's time goes: marks in a copy of a step, each a line of its own.
 *
 *     MARKS_BEGIN;              what holds the marks; the first line of the kernel
 *     MARK(first_load);         what follows is the first load, behind its address's arithmetic
 *     MARK_LOAD(sum)            in front of "sum += …;": only loads; MARK_ADD adds
 *     MARK(last_load);          the last load has been issued, and none has been waited for
 *     MARK_WHEN(first_use, x);  the first load's answer, x, is there; MARK_LOADED(0) is x of the
 *                               first MARK_LOAD
 *     MARK(first_use);          … where x has been stored in front of the mark
 *     MARK_ADD(sum);            adds what MARK_LOAD has loaded
 *     MARK_WHEN(last_use, sum); all of them are there, and added
 *     MARK(arrive);             the warp comes to a barrier of the block,
 *     MARK_LEAVE;               and is about to be held by it: see below
 *     MARKS_END;                the warp has done its work; the last line of the kernel
 *     MARKS_OF(blocks);         in the host's function: the first launch's, which is recorded
 *
 * A mark reads the multiprocessor's clock. The assembler moves nothing across such a read, which
 * makes places sure: a warp issues in order, and waits in front of the first instruction that needs
 * an answer. So MARK_WHEN compares x with something, and then reads; without it a warp runs past
 * the mark with its loads in flight. But an addition in front of a mark stays there, too: behind
 * "sum += in[…]" there would be no mark before its answer. Hence MARK_LOAD, whose sum is another.
 * In the machine code (nvcc 13.0, sm_90; cuobjdump -sass) the loads stand one behind the other as
 * they do in the step, then the read of last_load, then what waits for the first of them. But a
 * barrier holds a warp only some instructions later (BAR.SYNC.DEFER_BLOCKING), so that most reads
 * behind one come before it opens. It opens when the block's last warp arrives, which is known.
 *
 * Marks must not change what they show. They are kept in registers, those of the barriers in shared
 * memory, 136 bytes per warp, where one lane stores them behind the barrier: nobody waits for them
 * in front of it. What is kept goes to global memory at the kernel's end, and only that of every
 * 64th multiprocessor and of the blocks in the middle of the grid: all others only look at the
 * clock. Neither this memory nor the registers, 27 at most, leave room for fewer than the 8 blocks
 * of a multiprocessor. What a mark costs anyway is measured beside it: see bench/README.md. */
#ifndef MARKS_H
#define MARKS_H

#include "lab.h"

extern "C" { /* the harness is C */
#include "program_name.h"
}

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MARKED_WARPS = BLOCK / 32,
    MARKED_BLOCKS = 8192,   /* in the middle of the grid */
    MARKED_PROCESSORS = 64, /* one of so many is recorded, */
    MARKED_PROCESSOR = 32,  /* beginning with this one */
    MARKED_LOADS = 16,      /* of a thread, at most */
    MARKED_BARRIERS = 12    /* likewise */
};

/* Of a warp: the multiprocessor's clock, modulo 2^32, at each mark; 0: there is no such mark. */
struct marks {
    unsigned processor, barriers; /* its number; how many barriers there were; 0: no record */
    unsigned first_load, last_load, first_use, last_use, arrive, end;
    unsigned reduction, unused; /* see marked_reduction; eight bytes are copied at a time */
};

struct marks_record {
    struct marks marks;
    uint2 barriers[MARKED_BARRIERS]; /* arrive and leave */
};

static __device__ struct marks_record marked[MARKED_BLOCKS][MARKED_WARPS];
static __constant__ unsigned marked_grid; /* the blocks of the launch that is recorded */
/* Grows from a reduction to the next, by the launches that are not recorded: a block that was on a
 * recorded multiprocessor in an earlier one is told by its number. */
static __device__ unsigned marked_reduction;

#ifdef SIMT /* a clock without a meaning, no inline PTX, and all blocks on one multiprocessor */
#define MARK(what)         marks.what = (unsigned)clock64()
#define MARK_WHEN(what, x) MARK(what)

static __device__ unsigned marks_processor(void)
{
    return MARKED_PROCESSOR;
}
#else
#define MARK(what)                                                                                 \
    asm volatile("{ .reg .u64 now; mov.u64 now, %%clock64; cvt.u32.u64 %0, now; }"                 \
                 : "=r"(marks.what)                                                                \
                 :                                                                                 \
                 : "memory")
/* No sum of the harness's bytes is INT_MIN. */
#define MARK_WHEN(what, x)                                                                         \
    asm volatile("{ .reg .u64 now; .reg .pred came; setp.ne.s32 came, %1, %2;\n\t"                 \
                 "@came mov.u64 now, %%clock64; @came cvt.u32.u64 %0, now; }"                      \
                 : "+r"(marks.what)                                                                \
                 : "r"(x), "n"(INT_MIN)                                                            \
                 : "memory")

static __device__ unsigned marks_processor(void)
{
    unsigned number;

    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}
#endif

#define MARKS_BEGIN                                                                                \
    __shared__ struct marks_record marks_shared[MARKED_WARPS];                                     \
    struct marks marks = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};                                           \
    elem_t marks_loaded[MARKED_LOADS] = {0};                                                       \
    unsigned marks_loads = 0;                                                                      \
    (void)&marks_loaded, (void)&marks_loads /* not every kernel has MARK_LOAD */

#define MARK_LOAD(sum) if (elem_t &sum = marks_loaded[marks_loads++]; true)
#define MARK_LOADED(k) marks_loaded[k]
#define MARK_ADD(sum)                                                                              \
    _Pragma("unroll") for (unsigned k = 0; k < MARKED_LOADS; k++) sum += marks_loaded[k]

#define MARK_LEAVE                                                                                 \
    do {                                                                                           \
        unsigned arrive = marks.arrive;                                                            \
        MARK(arrive);                                                                              \
        if (threadIdx.x % 32 == 0)                                                                 \
            marks_shared[threadIdx.x / 32].barriers[marks.barriers] =                              \
                make_uint2(arrive, marks.arrive);                                                  \
        marks.barriers++;                                                                          \
    } while (0)

#define MARKS_END                                                                                  \
    MARK(end);                                                                                     \
    marks_end(marks, &marks_shared[threadIdx.x / 32])

/* Leaves a warp's marks in `marked`; the lanes copy them, eight bytes each. */
static __device__ void marks_end(struct marks marks, struct marks_record *mine)
{
    unsigned lane = threadIdx.x % 32;
    unsigned before = (gridDim.x - min(gridDim.x, (unsigned)MARKED_BLOCKS)) / 2;

    if (gridDim.x != marked_grid && blockIdx.x == 0 && threadIdx.x == 0)
        marked_reduction++;
    marks.processor = marks_processor();
    if (marks.processor % MARKED_PROCESSORS != MARKED_PROCESSOR || gridDim.x != marked_grid ||
        blockIdx.x < before || blockIdx.x - before >= MARKED_BLOCKS)
        return;
    marks.reduction = marked_reduction;
    if (lane == 0)
        mine->marks = marks;
    __syncwarp();
    uint2 *to = (uint2 *)&marked[blockIdx.x - before][threadIdx.x / 32];
    if (lane < sizeof marks / sizeof *to + marks.barriers)
        to[lane] = ((uint2 *)mine)[lane];
}

/* ---- the host's side ---- */

#define MARKS_OF(blocks) marks_of(blocks)

/* Of a reduction's launches only the one of so many blocks is recorded. */
static void marks_of(size_t blocks)
{
    static unsigned last;

    if (last != blocks) { /* once in a program, before anything is timed */
        last = (unsigned)blocks;
        CHECK(cudaMemcpyToSymbol(marked_grid, &last, sizeof last, 0, cudaMemcpyHostToDevice));
    }
}

/* Leaves only the records of the last reduction. */
static void marks_keep_last(struct marks_record *records, size_t count)
{
    unsigned last = 0;

    for (size_t i = 0; i < count; i++)
        if (records[i].marks.barriers && records[i].marks.reduction > last)
            last = records[i].marks.reduction;
    for (size_t i = 0; i < count; i++)
        if (records[i].marks.reduction != last)
            records[i].marks.barriers = 0;
}

/* The earliest mark of a multiprocessor. */
static unsigned marks_zero(const struct marks_record *records, size_t count, unsigned processor)
{
    const struct marks *first = NULL;

    for (size_t i = 0; i < count; i++) {
        const struct marks *marks = &records[i].marks;
        if (marks->barriers && marks->processor == processor &&
            (!first || (int)(marks->first_load - first->first_load) < 0))
            first = marks;
    }
    return first->first_load;
}

static void marks_print_cycle(unsigned mark, unsigned zero)
{
    if (mark)
        printf("%u", mark - zero);
    printf(",");
}

/* Prints, behind the row of lab_main --csv, what the last reduction left: a row for each warp, in
 * cycles since its multiprocessor's earliest mark; barriers are arrive-leave. status: lab_main's,
 * and this one's value. */
static int marks_print(int status, const char *file)
{
    size_t count = (size_t)MARKED_BLOCKS * MARKED_WARPS;
    struct marks_record *records = (struct marks_record *)malloc(sizeof marked);

    if (status != STATUS_OK)
        return status;
    if (!records)
        CHECK(cudaErrorMemoryAllocation);
    CHECK(cudaMemcpyFromSymbol(records, marked, sizeof marked, 0, cudaMemcpyDeviceToHost));
    marks_keep_last(records, count);
    printf("step,multiprocessor,block,warp,first_load,last_load,first_use,last_use,barriers,end\n");
    for (size_t i = 0; i < count; i++) {
        const struct marks *marks = &records[i].marks;
        if (!marks->barriers)
            continue;
        unsigned zero = marks_zero(records, count, marks->processor);
        printf("%s,%u,%zu,%zu,", program_name_of(file).number, marks->processor, i / MARKED_WARPS,
               i % MARKED_WARPS);
        marks_print_cycle(marks->first_load, zero);
        marks_print_cycle(marks->last_load, zero);
        marks_print_cycle(marks->first_use, zero);
        marks_print_cycle(marks->last_use, zero);
        for (unsigned k = 0; k < marks->barriers; k++)
            printf("%s%u-%u", k ? " " : "", records[i].barriers[k].x - zero,
                   records[i].barriers[k].y - zero);
        printf(",%u\n", marks->end - zero);
    }
    free(records);
    return status;
}

#endif
