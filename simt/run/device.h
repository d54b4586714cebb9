/* The GPUs that can be simulated, which of them is, and how many blocks it holds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Of every device, and for arrays the most of any. */
enum {
    DEVICE_THREADS_PER_BLOCK = 1024,
    DEVICE_SHARED_PER_BLOCK = 48 * 1024, /* unless a kernel's attribute raises it */
    DEVICE_REGISTERS = 64 * 1024,        /* of a multiprocessor */
    DEVICE_MOST_SHARED = 227 * 1024,     /* that a block may have */
    DEVICE_MOST_BLOCKS = 132 * 32        /* that run at the same time */
};

struct device_facts {
    const char *name;  /* for SIMT_DEVICE */
    const char *title; /* the vendor's; NULL: there is no such GPU */
    int major, minor;  /* compute capability */
    /* how many there are, and what one of them holds at once */
    int multiprocessors, threads, blocks;
    int shared_kib;
    int shared_block_kib; /* the most of one block's; what is missing to shared_kib, the system
                             takes for each block */
    int l2_kib;
    int clock_mhz, memory_mhz, bus_bits; /* 0 where there is no such GPU: it has no clock */
};

/* The one that SIMT_DEVICE names, or else the first of the table; a name that is not there ends the
 * program with one line. */
const struct device_facts *device_facts(void);

/* ---- occupancy: how many blocks a multiprocessor, and the whole device, hold at once ---- */

/* Of blocks of so many threads, at least 1, with so many bytes of shared memory, static and
 * dynamic; registers limit nothing. 0 when there is no room for one. The first is pure; the other
 * counts all multiprocessors of the simulated device, an upper bound where static shared memory is
 * not known. */
unsigned occupancy_blocks(const struct device_facts *facts, unsigned threads, size_t shared);
size_t device_blocks_at_once(unsigned threads, size_t shared);
