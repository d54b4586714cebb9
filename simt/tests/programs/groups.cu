/* Cooperative groups, as NVIDIA's guide and samples use them. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
enum { N = 5000, BINS = 7 };

/* A ticket for each thread that is here, by one atomic. */
__device__ int ticket(int *next)
{
    auto here = cg::coalesced_threads();
    int first = cg::invoke_one_broadcast(here, [&] { return atomicAdd(next, (int)here.size()); });
    return first + (int)here.thread_rank();
}

__global__ void filter(const int *in, int *out, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N && in[i] > 50)
        out[ticket(count)] = in[i];
}

__global__ void compact(const int *in, int *out, int *count)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x, keep = i < N && in[i] > 50, base = 0;
    int place = cg::exclusive_scan(tile, keep), total = cg::reduce(tile, keep, cg::plus<int>());
    if (tile.thread_rank() == 0)
        base = atomicAdd(count, total);
    base = tile.shfl(base, 0);
    if (keep)
        out[base + place] = in[i];
}

__global__ void histogram(const int *in, int *bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    auto same = cg::labeled_partition(cg::coalesced_threads(), in[i] % BINS);
    if (same.thread_rank() == 0)
        atomicAdd(&bins[in[i] % BINS], (int)same.size());
}

/* Names without cg::, some of which are the C library's, too; a size that is computed. */
__global__ void ranks(int *sum)
{
    using namespace cooperative_groups;
    auto block = this_thread_block();
    auto tile = tiled_partition<512 / 32>(block);
    sync(block), sync(tile);
    atomicAdd(sum, (int)tile.thread_rank());
}

/* While one buffer is summed the other one is filled. */
__global__ void staged(const int *in, int *sum)
{
    __shared__ int buffer[2][512];
    auto block = cg::this_thread_block();
    int own = 0, stage = 0;
    cg::memcpy_async(block, buffer[0], 512, in, N);
    for (int begin = 0; begin < N; begin += 512, stage ^= 1) {
        if (begin + 512 < N)
            cg::memcpy_async(block, buffer[stage ^ 1], 512, in + begin + 512, N - begin - 512);
        if (begin + 512 < N)
            cg::wait_prior<1>(block);
        else
            cg::wait(block);
        for (int i = (int)block.thread_rank(); i < min(512, N - begin); i += (int)block.size())
            own += buffer[stage][i];
        block.sync();
    }
    auto tile = cg::tiled_partition<32>(block);
    own = cg::reduce(tile, own, cg::plus<int>());
    cg::invoke_one(tile, [&] { atomicAdd(sum, own); });
}

/* Each round adds to every number its neighbour behind it; the whole grid waits between rounds. */
__global__ void rounds(int *a, int *b, int count)
{
    auto grid = cg::this_grid();
    for (int k = 0; k < count; k++) {
        for (int i = (int)grid.thread_rank(); i < N; i += (int)grid.size())
            b[i] = a[i] + a[(i + 1) % N];
        grid.sync();
        int *next = b;
        b = a, a = next;
    }
}

int main()
{
    int values[N], bins[BINS] = {0}, kept = 0, sum = 0, two = 2;
    for (int i = 0; i < N; i++) {
        values[i] = i * 37 % 101;
        kept += values[i] > 50, sum += values[i], bins[values[i] % BINS]++;
    }
    int *in = device<int>(N), *a = device<int>(N), *b = device<int>(N), *c = device<int>(4 + BINS);
    OK(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
    filter<<<20, 256>>>(in, a, c);
    compact<<<20, 256>>>(in, b, c + 1);
    histogram<<<20, 256>>>(in, c + 4);
    ranks<<<1, 64>>>(c + 3);
    staged<<<1, 128>>>(in, c + 2);
    int *counts = host(c, 4 + BINS), *x = host(a, N), *y = host(b, N);
    EXPECT(counts[0] == kept && counts[1] == kept && counts[2] == sum &&
           counts[3] == 64 / 16 * 120);
    for (int i = 0; i < kept; i++)
        EXPECT(x[i] > 50 && y[i] > 50);
    for (int i = 0; i < BINS; i++)
        EXPECT(counts[4 + i] == bins[i]);
    void *arguments[] = {&in, &a, &two};
    OK(cudaLaunchCooperativeKernel((void *)rounds, 4, 256, arguments));
    int *z = host(in, N);
    for (int i = 0; i < N; i++)
        EXPECT(z[i] == values[i] + 2 * values[(i + 1) % N] + values[(i + 2) % N]);
}
