/* Launches: checks their configuration against the limits of the device and the kernel, as CUDA
 * does, and runs their blocks (block.h); and CUDA's calls about a kernel's limits. */
#include "run/array.h"
#include "run/block.h"
#include "run/end.h"
#include "run/memory.h"
#include "run/runtime.h"
#include "run/symbols.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- kernels ---- */

/* A kernel's own limits, found by the program's symbol table: the name of a __shared__ variable
 * contains the name of the kernel that declares it, and the rewriter has left a record with an
 * address in the kernel and its __launch_bounds__. Nothing is known of other functions. */
struct kernel {
    bool known;       /* the fields below have been looked up */
    unsigned threads; /* of a block at most, by __launch_bounds__; 0: it has none */
    size_t shared;    /* bytes of the __shared__ variables that it declares itself */
    size_t opted;     /* bytes of dynamic shared memory, by its attribute; 0: not set */
};

/* The rewriter's records lie between these. */
extern const struct kernel_record {
    uint64_t address, threads;
} __start_simt_kernels[] __attribute__((weak)), __stop_simt_kernels[] __attribute__((weak));

/* The function's record; NULL: it is no kernel. */
static const struct kernel_record *record_of(const struct symbol *function)
{
    for (const struct kernel_record *r = __start_simt_kernels; r < __stop_simt_kernels; r++)
        if (r->address - function->begin < function->size)
            return r;
    return NULL;
}

bool simt_is_kernel(const void *function)
{
    const struct symbol *symbol = symbols_function((uintptr_t)function);

    return !symbol || record_of(symbol);
}

/* Bytes of the kernel's own __shared__ variables. The C++ ABI's name of a variable in a function is
 * _ZZ, the function's name without its _Z, E, and more. */
static size_t shared_of(const char *kernel)
{
    char prefix[2048];
    size_t count, bytes = 0, length = strlen(kernel);
    const struct symbol *shared = symbols_of(SYMBOL_SHARED, &count);

    if (length + 32 > sizeof prefix)
        return 0;
    if (strncmp(kernel, "_Z", 2) == 0)
        snprintf(prefix, sizeof prefix, "_ZZ%sE", kernel + 2);
    else
        snprintf(prefix, sizeof prefix, "_ZZ%zu%sE", length, kernel);
    for (size_t i = 0; i < count; i++)
        if (strncmp(shared[i].mangled, prefix, strlen(prefix)) == 0)
            bytes += shared[i].size;
    return bytes;
}

static struct kernel *kernel_at(const void *function)
{
    static struct entries kernels; /* that were asked for so far */
    struct kernel *kernel = entries_at(&kernels, sizeof *kernel, (uintptr_t)function, 0);
    const struct symbol *symbol = kernel->known ? NULL : symbols_function((uintptr_t)function);
    const struct kernel_record *record = symbol ? record_of(symbol) : NULL;

    if (symbol)
        kernel->shared = shared_of(symbol->mangled);
    if (record)
        kernel->threads = (unsigned)record->threads;
    kernel->known = true;
    return kernel;
}

/* Other attributes are hints, which change nothing. */
cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attr, int value)
{
    size_t most = (size_t)gpu_model()->shared_block_kib * 1024;
    struct kernel *kernel = kernel_at(function);

    if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value < 0 || kernel->shared + (size_t)value > most)
        return error_set(cudaErrorInvalidValue);
    kernel->opted = (size_t)value;
    /* A launch that does not know its function (simt_launch.h) may be of any of them. */
    struct kernel *unknown = kernel_at(NULL);
    unknown->opted = value > (int)unknown->opted ? (size_t)value : unknown->opted;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int threads, size_t shared)
{
    if (threads < 1 || threads > GPU_THREADS_PER_BLOCK)
        return error_set(cudaErrorInvalidValue);
    *blocks = (int)gpu_model_occupancy(gpu_model(), (unsigned)threads,
                                       kernel_at(function)->shared + shared);
    return cudaSuccess;
}

/* ---- the checks: each returns CUDA's error, and keeps the reason ---- */

struct launch_size launch_size(dim3 size, const char *times)
{
    struct launch_size result;
    const char *format = size.z != 1 ? "%u%s%u%s%u" : size.y != 1 ? "%u%s%u" : "%u";

    snprintf(result.text, sizeof result.text, format, size.x, times, size.y, times, size.z);
    return result;
}

static bool fits(dim3 size, dim3 most)
{
    return size.x > 0 && size.y > 0 && size.z > 0 && size.x <= most.x && size.y <= most.y &&
           size.z <= most.z;
}

static bool are_possible(dim3 grid, dim3 block)
{
    return fits(grid, (dim3){0x7fffffff, 65535, 65535}) && fits(block, (dim3){1024, 1024, 64}) &&
           launch_volume(block) <= GPU_THREADS_PER_BLOCK;
}

static cudaError_t check_sizes(struct complaint refusal, dim3 grid, dim3 block)
{
    if (are_possible(grid, block))
        return cudaSuccess;
    return error_refuse(
        refusal, cudaErrorInvalidConfiguration,
        "<<<%s, %s>>> is impossible: a grid has at most 2147483647 x 65535 x 65535 "
        "blocks, a block 1024 x 1024 x 64 threads, together 1024, and each at least 1.%s",
        launch_size(grid, " x ").text, launch_size(block, " x ").text,
        are_possible(block, grid) && launch_volume(grid) % 32 == 0
            ? " Are grid and block exchanged?"
            : "");
}

/* Checks the kernel's own limits. */
static cudaError_t check_kernel(struct complaint refusal, const struct kernel *kernel, dim3 block,
                                size_t shared)
{
    size_t own = kernel->shared, most = GPU_SHARED_PER_BLOCK;

    if (kernel->opted > 0 && own + kernel->opted > most)
        most = own + kernel->opted;
    if (kernel->threads > 0 && launch_volume(block) > kernel->threads)
        return error_refuse(refusal, cudaErrorInvalidValue,
                            "%zu threads a block; the kernel has __launch_bounds__(%u).",
                            launch_volume(block), kernel->threads);
    if (own <= GPU_SHARED_PER_BLOCK && own + shared <= most)
        return cudaSuccess;
    return error_refuse(refusal, cudaErrorInvalidValue,
                        "%zu bytes of shared memory, %zu of them dynamic, are more than %zu. "
                        "cudaFuncSetAttribute raises the dynamic part, for one kernel at a time.",
                        own + shared, shared, most);
}

static cudaError_t check_launch(const struct launch *launch, const void *function)
{
    const struct complaint refusal = {.kind = FINDING_REFUSED_LAUNCH, .site = launch->site};
    const struct kernel *kernel = kernel_at(function);
    cudaError_t error = check_sizes(refusal, launch->grid, launch->block);

    if (launch->site.function && !simt_is_kernel(launch->site.function))
        return error_refuse(refusal, cudaErrorInvalidDeviceFunction, "It has no __global__.");
    if (error == cudaSuccess)
        error = check_kernel(refusal, kernel, launch->block, launch->shared);
    if (error != cudaSuccess || !launch->cooperative)
        return error;
    size_t most = gpu_model_blocks_at_once(launch->threads, kernel->shared + launch->shared);
    if (launch->blocks <= most)
        return cudaSuccess;
    return error_refuse(
        refusal, cudaErrorCooperativeLaunchTooLarge,
        "%zu blocks; the device runs %zu of them at the same time, and a cooperative "
        "launch must not have more.",
        launch->blocks, most);
}

/* Reads the launch's attributes. *early: it may begin before the one in front has ended. */
static cudaError_t read_attributes(struct launch *launch, const cudaLaunchConfig_t *config,
                                   bool *early)
{
    const struct gpu_model *device = gpu_model();

    for (const cudaLaunchAttribute *a = config->attrs; a < config->attrs + config->numAttrs; a++) {
        if (a->id == cudaLaunchAttributeCooperative)
            launch->cooperative = a->val.cooperative;
        else if (a->id != cudaLaunchAttributeProgrammaticStreamSerialization)
            return cudaErrorNotSupported;
        else
            *early = a->val.programmaticStreamSerializationAllowed;
    }
    if (*early && device->major < 9)
        end_usage("%s:%d: a launch that begins before the one before has ended needs compute "
                  "capability 9.0, as of SIMT_DEVICE=h200; %s has %d.%d",
                  launch->site.file, launch->site.line, device->name, device->major, device->minor);
    return cudaSuccess;
}

/* ---- the launch ---- */

static long order = -1; /* the seed of the launches from here on; -1: ask SIMT_ORDER */

void simt_set_order(unsigned seed)
{
    order = seed;
}

static uint64_t
    last_beside; /* the last launch's `beside`, without the launches it has waited for */

void simt_grid_dependency_wait(void)
{
    last_beside &= ~(uint64_t)1;
    if (STRAY_AT(simt_current_lane, .kind = DEED_FENCE, .a = FENCE_WAIT))
        return;
    OBSERVE(operation, simt_current_lane, EVENT_FENCE, FENCE_WAIT, 0, 0,
            __builtin_return_address(0));
}

/* One launch at a time, of all the host's threads, until the observer knows that it has ended. */
static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;

bool launch_hold(void)
{
    return pthread_mutex_trylock(&launching) == 0;
}

void launch_release(void)
{
    pthread_mutex_unlock(&launching);
}

/* The objects of launch_made_object; some stand there twice. */
static struct {
    void ***object;
    size_t count, room;
} made;

void launch_made_object(void **object)
{
    if (!launch_hold())
        return;
    *ARRAY_ADD(made.object, made.count, made.room) = object;
    launch_release();
}

/* Hands these objects to the kernel (lend), or takes them back. */
static void lend_objects(bool lend)
{
    const char *function;

    for (size_t i = made.count; i-- > 0;) {
        void **object = made.object[i];
        enum memory_kind kind = memory_at(object).kind;
        bool reach = kind == MEMORY_MANAGED || kind == MEMORY_PINNED;
        if (!reach || (!lend && !symbols_is_mark(*object, &function)))
            made.object[i] = made.object[--made.count]; /* or a kernel has made another one there */
        else if (lend)
            simt_hand_over(object, sizeof *object);
        else
            simt_take_back(object, sizeof *object);
    }
}

cudaError_t simt_launch(const struct simt_site *site, const void *kernel,
                        const cudaLaunchConfig_t *config, void (*entry)(void *), void *args)
{
    struct launch launch = {.site = *site,
                            .grid = config->gridDim,
                            .block = config->blockDim,
                            .blocks = launch_volume(config->gridDim),
                            .threads = (unsigned)launch_volume(config->blockDim),
                            .shared = config->dynamicSmemBytes,
                            .entry = entry,
                            .args = args};
    bool early = false;

    if (simt_current_lane) {
        end_not_judged("kernel %s launches kernel %s (%s:%d): a kernel launched by a kernel is not "
                       "supported",
                       simt_current_lane->block->launch->site.kernel, site->kernel, site->file,
                       site->line);
        observer_fatal(FATAL_OF(KINDS, simt_current_lane, __builtin_return_address(0)));
    }
    pthread_mutex_lock(&launching);
    launch.number = ++error_launches;
    cudaError_t error = read_attributes(&launch, config, &early);
    if (error == cudaSuccess)
        error = check_launch(&launch, kernel);
    if (error == cudaSuccess && !stream_number(config->stream, &launch.stream))
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess) {
        if (order < 0)
            order = end_setting("SIMT_ORDER", 0, UINT32_MAX, "a seed, a whole number");
        launch.order = (unsigned)order;
        lane_so_far.launches++;
        unsigned before = async_use(launch.stream, launch.number);
        launch.beside = before && early ? 1 | last_beside << 1 : 0;
        last_beside = launch.beside;
        lend_objects(true);
        pool_run(&launch, gpu_model_blocks_at_once(launch.threads, launch.shared));
        lend_objects(false);
        OBSERVE(launch_end, &launch);
    }
    pthread_mutex_unlock(&launching);
    return error_set(error);
}

void simt_of_host(const char *name)
{
    if (simt_current_lane)
        end_not_judged("kernel %s calls %s, a function of the host, from one that is __host__ "
                       "__device__: nvcc warns of it, and leaves the call out",
                       simt_current_lane->block->launch->site.kernel, name);
}
