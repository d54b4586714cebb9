/* The GPUs that can be simulated, the one that SIMT_DEVICE names, and how many blocks it holds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Limits of every device; the last two are the most that any of them has. */
enum {
    GPU_THREADS_PER_BLOCK = 1024,
    GPU_SHARED_PER_BLOCK = 48 * 1024, /* unless a kernel's attribute raises it */
    GPU_REGISTERS = 64 * 1024,        /* of a multiprocessor */
    GPU_MOST_SHARED = 227 * 1024,     /* that a block may have */
    GPU_MOST_BLOCKS = 132 * 32        /* that run at the same time */
};

struct gpu_model {
    const char *name;     /* for SIMT_DEVICE */
    const char *title;    /* the vendor's name; NULL: there is no such GPU */
    int major, minor;     /* compute capability */
    int multiprocessors;  /* each of them holds at once so many */
    int threads, blocks;  /* threads and blocks, */
    int shared_kib;       /* and so much shared memory */
    int shared_block_kib; /* shared memory of a block, at most. The rest of shared_kib is the
                             system's, for each block */
    int l2_kib;           /* L2 cache */
    int clock_mhz;        /* the highest; this and the next two are 0 if there is no such GPU */
    int memory_mhz, bus_bits;
};

/* The device that SIMT_DEVICE names; if it is not set, the first one. Ends the program with one
 * line if no device has that name. */
const struct gpu_model *gpu_model(void);

/* ---- occupancy: how many blocks a multiprocessor, and the whole device, hold at once ---- */

/* shared: bytes of static and dynamic shared memory of a block. Registers limit nothing. 0: there
 * is no room for one block. The first function is pure; the second counts all multiprocessors of
 * the simulated device, and gives an upper bound where static shared memory is not known. */
unsigned gpu_model_occupancy(const struct gpu_model *model, unsigned threads, size_t shared);
size_t gpu_model_blocks_at_once(unsigned threads, size_t shared);
