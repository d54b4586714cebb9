/* What CUDA's calls share: the GPU that is simulated (gpu_model.c); the last error and those that
 * the program has not looked at; streams, and the requests that the host has made of them. */
#pragma once

#include "run/observer.h"

/* ---- the GPUs that can be simulated, the one of SIMT_DEVICE, and how many blocks it holds ---- */

/* Limits of every device; the last one is the most that any of them has. */
enum {
    GPU_THREADS_PER_BLOCK = 1024,
    GPU_SHARED_PER_BLOCK = 48 * 1024, /* unless a kernel's attribute raises it */
    GPU_REGISTERS = 64 * 1024,        /* of a multiprocessor */
    GPU_MOST_SHARED = 227 * 1024      /* that a block may have */
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

/* How many blocks a multiprocessor, and the whole device, hold at once. shared: bytes of static and
 * dynamic shared memory of a block. Registers limit nothing. 0: there is no room for one block. The
 * first function is pure; the second counts all multiprocessors of the simulated device, and gives
 * an upper bound where static shared memory is not known. */
unsigned gpu_model_occupancy(const struct gpu_model *model, unsigned threads, size_t shared);
size_t gpu_model_blocks_at_once(unsigned threads, size_t shared);

/* ---- errors ---- */

/* Keeps the error as this host thread's last one, unless it is cudaSuccess. Returns it. */
cudaError_t error_set(cudaError_t error);

/* An error that the runtime has returned. */
struct refusal {
    struct complaint why; /* what was refused and why; its text is empty if that is not known */
    cudaError_t error;
    bool unseen;           /* the program has thrown it away (simt_discard), and not asked for it
                              since, */
    struct simt_site site; /* at this place; site.kernel is "" unless it was a launch, */
    unsigned behind;       /* when the last launch had this number */
};

/* The number of the program's last launch. Refused launches count. */
extern unsigned error_launches;

/* Keeps why a call or a launch was refused, as a sentence (printf's arguments). Of each place the
 * first refusal is kept, up to some 30 places. Returns the error. */
cudaError_t error_refuse(struct complaint refusal, cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All refusals that were kept. They belong to runtime.c. */
const struct refusal *error_refusals(size_t *count);

/* Has the program asked for the text of an error? Then it probably prints errors. */
extern bool error_was_told;

/* ---- streams ---- */

/* Sets *number to the stream's number; 0 is the legacy default stream. False: no stream has this
 * handle. */
bool stream_number(cudaStream_t stream, unsigned *number);

/* ---- requests: launches, copies and fills that the host has asked for ----
 *
 * Kernels run, and copies are made, before the call that asks for them returns: one of the orders
 * that CUDA allows. Requests are numbered from 1 on. Streams are not kept apart: a wait for one
 * request counts as a wait for all requests before it. */

/* Memory that a copy or fill reads or writes. */
struct area {
    char *at;             /* the first row */
    size_t pitch;         /* bytes from one row to the next */
    size_t width, height; /* bytes of a row; rows */
};

/* A copy or fill that the host has asked for, and that need not be over when the call returns. */
struct transfer {
    const char *call; /* a literal: "cudaMemcpyAsync" */
    const void *pc;   /* its return address */
    struct area to, from;
    bool fills; /* it has no `from`, and fills */
    int byte;   /* with this byte */
    cudaStream_t stream;
    bool async; /* its name ends in Async */
};

/* The host waits for all requests so far; for all up to this number. */
void async_wait(void);
void async_wait_for(unsigned long request);

/* The number of the last request, and of the last one that the host has waited for (0: none); how
 * often it has waited for anything. */
extern unsigned long async_asked, async_waited_for, async_waits;

/* The last request's stream, and whether the host has waited for a request to this one. */
extern unsigned async_stream;
bool async_is_over(unsigned long request, unsigned stream);

/* The host asks the stream of this number for the launch of this number; 0: for something else.
 * Returns the number of the stream's launch before, or 0 if something else came between. */
unsigned async_use(unsigned stream, unsigned launch);

/* The last launch, if its kernel printed and the host has not waited for anything since; else
 * zeros. */
extern struct simt_site async_printed;

/* Has the host used more than one stream so far? */
extern bool async_used_several;
