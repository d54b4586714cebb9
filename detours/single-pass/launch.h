/* Which shape for which n, and its launch: the host's part of single-pass. It stands behind the
 * kernels, since the tables name them. */
#ifndef SINGLE_PASS_LAUNCH_H
#define SINGLE_PASS_LAUNCH_H

enum way { GROUP, TICKET, WAIT };

struct shape {
    size_t most;     /* elements */
    enum way way;    /* that the blocks' sums come together */
    unsigned blocks; /* of a group */
    unsigned threads, loads;
    void (*kernel)(const elem_t *in, destination to, size_t n);
};

// clang-format off
#define ONE_BLOCK(most, threads, loads)                                                            \
    {most, GROUP, 1, threads, loads, reduce_one_block<threads, loads>}
#ifdef SIMT
#define CLUSTER(most, blocks, threads, loads) {most, GROUP, blocks, threads, loads, NULL}
#else
#define CLUSTER(most, blocks, threads, loads)                                                      \
    {most, GROUP, blocks, threads, loads, reduce_cluster<blocks, threads, loads>}
#endif
#define TICKETS(most, threads, loads) /* of ints */                                                \
    {most, TICKET, 0, threads, loads, reduce_ticket<threads, loads>}
#define WAITING(most, threads, loads)                                                              \
    {most, WAIT, 0, threads, loads, reduce_wait<threads, loads>}

#define SHAPES ELEM_STRING_OF(shapes-TYPE.h) /* "shapes-int.h" and so on */
// clang-format on
#include SHAPES

#define SHAPE_COUNT (sizeof shapes / sizeof *shapes)

static int attribute_of(enum cudaDeviceAttr name)
{
    int device, value;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&value, name, device));
    return value;
}

/* Does the device run such a cluster? Of more than 8 blocks it must be asked, and may refuse. */
static bool takes_cluster([[maybe_unused]] const struct shape *shape)
{
    int clusters = 0;

#ifndef SIMT
    const void *kernel = (const void *)shape->kernel;
    cudaLaunchConfig_t config = {};
    cudaError_t error = cudaSuccess;

    config.gridDim = shape->blocks;
    config.blockDim = shape->threads;
    if (shape->blocks > 8)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
    if (error != cudaSuccess)
        (void)cudaGetLastError(); /* a refusal is no error of the launch to come */
#endif
    return clusters > 0;
}

/* Can the device run it? */
static bool is_possible(const struct shape *shape)
{
    if (!shape->kernel)
        return false;
    if (shape->way == WAIT)
        return attribute_of(cudaDevAttrCooperativeLaunch);
    return shape->blocks <= 1 || takes_cluster(shape);
}

/* The blocks that the whole GPU runs at the same time. */
static size_t resident_blocks(const struct shape *shape)
{
    int blocks;

    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)shape->kernel,
                                                        shape->threads, 0));
    return (size_t)blocks * attribute_of(cudaDevAttrMultiProcessorCount);
}

/* One block for each tile, as long as the GPU runs them all at the same time. Then as many as it
 * runs or, where none waits for others, one for TILES of them, if that is more: a multiprocessor
 * that is faster than others then takes more of them. */
static size_t blocks_for(const struct shape *shape, size_t n, size_t resident)
{
    size_t tile = shape->loads * PACK * shape->threads, tiles = (n + tile - 1) / tile;

    if (shape->way == GROUP)
        return shape->blocks;
    if (shape->way == WAIT && resident > MAILBOXES)
        resident = MAILBOXES;
    if (shape->way == TICKET && tiles / TILES > resident)
        resident = tiles / TILES;
    return tiles < resident ? tiles : resident;
}

static void launch(const struct shape *shape, size_t blocks, const elem_t *in, destination to,
                   size_t n)
{
    if (shape->way == WAIT) {
        void *arguments[] = {&in, &to, &n};
        /* CUDA 12 takes the kernel by its address alone */
        CHECK(cudaLaunchCooperativeKernel((const void *)shape->kernel, blocks, shape->threads,
                                          arguments, 0, 0));
    } else {
        shape->kernel<<<blocks, shape->threads>>>(in, to, n);
    }
    CHECK(cudaGetLastError());
}

/* For each shape the blocks that the current device runs at the same time, 0: it is not possible.
 * Asked once, in the untimed call. */
static const size_t *resident_of_all(void)
{
    static size_t resident[1024][SHAPE_COUNT];
    int device;

    CHECK(cudaGetDevice(&device));
    if (resident[device][SHAPE_COUNT - 1] == 0)
        for (unsigned i = 0; i < SHAPE_COUNT; i++)
            resident[device][i] = is_possible(&shapes[i]) ? resident_blocks(&shapes[i]) : 0;
    return resident[device];
}

/* One launch, on the current device; n may be 0. */
[[maybe_unused]] static void reduce_to(destination to, const elem_t *in, size_t n)
{
    const size_t *resident = resident_of_all();
    unsigned k = 0;

    while (n > shapes[k].most || resident[k] == 0)
        k++;
    launch(&shapes[k], blocks_for(&shapes[k], n, resident[k]), in, to, n);
}

#endif
