/* A launch: checks its configuration as CUDA would and spreads its blocks over OS threads.
 *
 * The threads are started once and sleep between launches. Whoever is free takes the next block,
 * in order, so that a block which waits for an earlier one always finds it running or done. */
#define _GNU_SOURCE
#include "run/block.h"
#include "run/crash.h"
#include "run/device.h"
#include "run/end.h"
#include "run/error.h"
#include "run/observer.h"
#include "simt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

__thread char simt_dynamic_shared[DEVICE_SHARED_OPTIN] __attribute__((aligned(128)));

/* What the OS threads work on. A new launch raises `generation` and wakes them; the last one to
 * finish its share wakes the launching thread. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    unsigned long generation;
    int started, wanted, busy;
    const struct launch *launch;
    size_t blocks, next; /* next: the first block that nobody has taken, atomic */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .begin = PTHREAD_COND_INITIALIZER,
          .end = PTHREAD_COND_INITIALIZER};

static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;
static int wanted_threads;

static int clamp_threads(long threads)
{
    return threads < 1 ? 1 : threads > SIMT_MAX_THREADS ? SIMT_MAX_THREADS : (int)threads;
}

/* SIMT_THREADS, or one OS thread per core. */
static int default_threads(void)
{
    const char *text = getenv("SIMT_THREADS");
    char *end;

    if (!text || !*text)
        return clamp_threads(sysconf(_SC_NPROCESSORS_ONLN));
    long threads = strtol(text, &end, 10);
    if (*end || threads < 1 || threads > SIMT_MAX_THREADS)
        end_usage("SIMT_THREADS=%s: want a number from 1 to %d", text, SIMT_MAX_THREADS);
    return (int)threads;
}

void simt_set_threads(int threads)
{
    wanted_threads = clamp_threads(threads);
}

int simt_get_threads(void)
{
    if (wanted_threads == 0)
        wanted_threads = default_threads();
    return wanted_threads;
}

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

static size_t common_divisor(size_t a, size_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* The block to run as number i. Steps of a size that has no divisor in common with the number of
 * blocks visit each of them once. */
static size_t shuffled(size_t i, size_t blocks, unsigned seed)
{
    if (seed == 0)
        return i;
    size_t step = seed % blocks + 1;
    while (common_divisor(step, blocks) != 1)
        step++;
    return (size_t)(((unsigned __int128)i * step + seed) % blocks);
}

static uint3 block_index(size_t linear, dim3 grid)
{
    size_t y = linear / grid.x;
    return (uint3){(unsigned)(linear % grid.x), (unsigned)(y % grid.y), (unsigned)(y / grid.y)};
}

/* On a terminal, a launch that takes long says how far it is; the line is wiped at its end. */
static void show_progress(size_t done)
{
    static struct timespec last;
    static bool shown;
    struct timespec now;

    if (!isatty(STDERR_FILENO))
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (done == 0)
        last = now;
    if (done < pool.blocks && now.tv_sec - last.tv_sec < 2)
        return;
    if (done < pool.blocks || shown)
        fprintf(stderr, "\r\033[K");
    shown = done < pool.blocks;
    if (shown)
        fprintf(stderr, "%s: %zu of %zu blocks", pool.launch->site.kernel, done, pool.blocks);
    last.tv_sec = now.tv_sec - 1; /* from now on every second */
}

static void run_share(bool tell)
{
    static _Thread_local struct block *block;

    crash_handle();
    if (!block && !(block = block_new()))
        end_fatal("no memory for a block's %zu KiB", sizeof *block / 1024);
    for (;;) {
        size_t i = __atomic_fetch_add(&pool.next, 1, __ATOMIC_RELAXED);
        if (i >= pool.blocks)
            return;
        if (tell && i % 64 < SIMT_MAX_THREADS)
            show_progress(i);
        i = shuffled(i, pool.blocks, pool.launch->order);
        block_run(block, pool.launch, block_index(i, pool.launch->grid));
    }
}

static void *worker(void *arg)
{
    int number = (int)(intptr_t)arg;
    unsigned long seen = 0;

    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.generation == seen)
            pthread_cond_wait(&pool.begin, &pool.lock);
        seen = pool.generation;
        if (number >= pool.wanted)
            continue;
        pthread_mutex_unlock(&pool.lock);
        run_share(false);
        pthread_mutex_lock(&pool.lock);
        if (--pool.busy == 0)
            pthread_cond_signal(&pool.end);
    }
    return NULL;
}

/* Starts OS threads until there are `threads`, the launching one counted as number 0. Called with
 * the pool locked. */
static void start_workers(int threads)
{
    if (pool.started == 0)
        pool.started = 1;
    for (; pool.started < threads; pool.started++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, (void *)(intptr_t)pool.started) != 0)
            end_fatal("cannot start OS thread %d of %d: try --threads 1 or SIMT_THREADS=1",
                      pool.started + 1, threads);
        pthread_detach(thread);
    }
}

static void run_blocks(const struct launch *launch, size_t blocks)
{
    int threads = simt_get_threads();
    if ((size_t)threads > blocks)
        threads = (int)blocks;

    pthread_mutex_lock(&launching);
    pthread_mutex_lock(&pool.lock);
    start_workers(threads);
    pool.launch = launch;
    pool.blocks = blocks;
    pool.next = 0;
    pool.wanted = threads;
    pool.busy = threads - 1;
    pool.generation++;
    pthread_cond_broadcast(&pool.begin);
    pthread_mutex_unlock(&pool.lock);

    show_progress(0);
    run_share(true);

    pthread_mutex_lock(&pool.lock);
    while (pool.busy > 0)
        pthread_cond_wait(&pool.end, &pool.lock);
    show_progress(blocks);
    pthread_mutex_unlock(&pool.lock);
    pthread_mutex_unlock(&launching);
}

static cudaError_t check_configuration(dim3 grid, dim3 block, size_t shared)
{
    size_t threads = (size_t)block.x * block.y * block.z;

    if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads == 0 ||
        threads > DEVICE_THREADS_PER_BLOCK)
        return cudaErrorInvalidConfiguration;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffff || grid.y > 65535 ||
        grid.z > 65535)
        return cudaErrorInvalidConfiguration;
    if (shared > device_shared_limit())
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static unsigned launches; /* so far, atomic */

unsigned simt_launches(void)
{
    return __atomic_load_n(&launches, __ATOMIC_RELAXED);
}

void simt_launch(const struct simt_site *site, dim3 grid, dim3 block, size_t shared,
                 cudaStream_t stream, void (*entry)(void *), void *args)
{
    struct launch launch = {.site = *site,
                            .grid = grid,
                            .block = block,
                            .threads = block.x * block.y * block.z,
                            .shared = shared,
                            .entry = entry,
                            .args = args};

    (void)stream;
    simt_observer.launch_begin();
    cudaError_t error = check_configuration(grid, block, shared);
    if (error != cudaSuccess) {
        simt_discard(site, error_set(error));
        return;
    }
    launch.order = get_order();
    launch.number = __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED);
    run_blocks(&launch, (size_t)grid.x * grid.y * grid.z);
    simt_observer.launch_end(&launch);
}
