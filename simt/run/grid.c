/* A launch: checks its configuration as CUDA would and has its blocks run (pool.h). */
#define _GNU_SOURCE
#include "run/end.h"
#include "run/error.h"
#include "run/facts.h"
#include "run/limits.h"
#include "run/memory.h"
#include "run/observer.h"
#include "run/block.h"
#include "run/stream.h"
#include "simt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Host threads launch one after the other, from the begin to what is made of the end. */
static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;

static unsigned order;
static bool order_known;

/* SIMT_ORDER: a seed; 0 or nothing: as numbered. */
static unsigned get_order(void)
{
    const char *text = getenv("SIMT_ORDER");
    char *end;

    if (order_known)
        return order;
    order_known = true;
    if (!text || !*text)
        return order;
    unsigned long seed = strtoul(text, &end, 10);
    if (*end || text[0] == '-' || seed > 0xffffffff)
        end_usage("SIMT_ORDER=%s: want a seed, a whole number", text);
    return order = (unsigned)seed;
}

void simt_set_order(unsigned seed)
{
    order = seed;
    order_known = true;
}

static unsigned launches;                  /* so far */
static _Thread_local bool may_begin_early; /* this host thread's next launch */

cudaError_t simt_check_attributes(const struct simt_site *site, const void *kernel,
                                  const cudaLaunchConfig_t *config)
{
    const struct device_facts *device = device_facts();
    cudaError_t error =
        limits_check(site, kernel, config->gridDim, config->blockDim, config->dynamicSmemBytes);

    for (unsigned i = 0; i < config->numAttrs && error == cudaSuccess; i++) {
        const cudaLaunchAttribute *a = &config->attrs[i];
        if (a->id != cudaLaunchAttributeProgrammaticStreamSerialization)
            error = cudaErrorNotSupported;
        else if (a->val.programmaticStreamSerializationAllowed && device->major < 9)
            end_usage("%s:%d: a launch that begins before the one before has ended needs compute "
                      "capability 9.0, as of SIMT_DEVICE=h200; %s has %d.%d",
                      site->file, site->line, device->name, device->major, device->minor);
        else
            may_begin_early = a->val.programmaticStreamSerializationAllowed;
    }
    may_begin_early &= error == cudaSuccess;
    return error_set(error);
}

void simt_large_parameters(const struct simt_site *site, size_t bytes)
{
    end_usage("%s:%d: the parameters of kernel %s take %zu bytes; want at most 32764, and for more "
              "an array from cudaMalloc",
              site->file, site->line, site->kernel, bytes);
}

unsigned simt_launches(void)
{
    return launches;
}

void simt_launch(const struct simt_site *site, const void *kernel, dim3 grid, dim3 block,
                 size_t shared, cudaStream_t stream, void (*entry)(void *), void *args)
{
    struct launch launch = {.site = *site,
                            .grid = grid,
                            .block = block,
                            .threads = block.x * block.y * block.z,
                            .shared = shared,
                            .entry = entry,
                            .args = args};

    unsigned number = 0;

    if (simt_current_lane)
        observer_fatal(&(struct fatal){.kind = FATAL_NESTED,
                                       .block = simt_current_lane->block,
                                       .lane = simt_current_lane,
                                       .site = site});
    pthread_mutex_lock(&launching);
    cudaError_t error = limits_check(site, kernel, grid, block, shared);
    if (error == cudaSuccess && !stream_number(stream, &number))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess) {
        launch.order = get_order();
        launch.stream = number;
        launch.number = ++launches;
        unsigned before = async_use(number, launch.number);
        launch.before = may_begin_early ? before : 0;
        may_begin_early = false;
        pool_run(&launch, device_blocks_at_once(
                              (struct block_needs){.threads = launch.threads, .shared = shared}));
        OBSERVE(launch_end, &launch);
    }
    pthread_mutex_unlock(&launching);
    if (error != cudaSuccess)
        simt_discard(site, error_set(error));
}
