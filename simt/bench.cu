/* The cost of simulation: a few kernels that everybody writes, then threads that only meet at
 * barriers, and a loop on the host. Prints for each the nanoseconds of processor time that one
 * lane's access (barrier, access by the host) takes: all of the time, divided by their number.
 * bench.sh builds it with and without hooks, and makes a table. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RUNS   3
#define N      192 /* of the matrix products */
#define TILE   16
#define SIDE   512 /* of the matrix that is transposed */
#define BLOCK  256
#define BLOCKS 1024
#define ROUNDS 16 /* barriers of a thread */
#define HOST   (1 << 16)
#define SLOTS  (1 << 12)

/* Of this process, which runs everything on one OS thread: others on the machine do not count. */
static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

__global__ void naive_product(const float *a, const float *b, float *c)
{
    unsigned row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;

    for (unsigned k = 0; k < N; k++)
        sum += a[row * N + k] * b[k * N + col];
    c[row * N + col] = sum;
}

__global__ void transpose(const float *in, float *out)
{
    __shared__ float s[TILE][TILE + 1];
    unsigned x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * TILE, j = blockIdx.x * TILE;

    s[y][x] = in[(i + y) * SIDE + j + x];
    __syncthreads();
    out[(j + y) * SIDE + i + x] = s[x][y];
}

__global__ void tree(const int *in, int *out)
{
    __shared__ int s[BLOCK];
    unsigned t = threadIdx.x;

    s[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (t < stride)
            s[t] += s[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void barriers(int *out)
{
    for (int i = 0; i < ROUNDS; i++)
        __syncthreads();
    if (out == NULL)
        *out = 0;
}

static const dim3 square(TILE, TILE), tiles(N / TILE, N / TILE), wide(SIDE / TILE, SIDE / TILE);
static int *numbers;
static float *zeros, *zeros_too; /* as many */

/* Counts words in an open hash table, as a program would that checks a kernel's result. */
static void count_words(void)
{
    static unsigned slots[SLOTS];

    for (unsigned i = 0; i < HOST / 2; i++)
        slots[i * 2654435761u >> 20]++;
}

/* A load and a store are two accesses, an atomic is one. */
static const struct {
    const char *name;
    double count;
    void (*run)(void);
} rows[] = {
    {"naive product", 2.0 * N *N *N + N *N,
     [] { naive_product<<<tiles, square>>>(zeros, zeros_too, (float *)numbers); }},
    {"transpose", 4.0 * SIDE *SIDE, [] { transpose<<<wide, square>>>(zeros, zeros_too); }},
    {"tree", (2.0 * BLOCK + 3 * (BLOCK - 1) + 2) * BLOCKS,
     [] { tree<<<BLOCKS, BLOCK>>>(numbers, (int *)zeros); }},
    {"a barrier", 1.0 * BLOCKS *BLOCK, [] { barriers<<<BLOCKS / ROUNDS, BLOCK>>>(numbers); }},
    {"an access by host", HOST, count_words},
};

/* Fastest of a few runs. */
static double time_ns(void (*run)(void))
{
    double best = 1e30;

    for (int i = 0; i < RUNS; i++) {
        double start = now_ns();
        run();
        if (cudaGetLastError() != cudaSuccess)
            exit(1);
        double ns = now_ns() - start;
        best = ns < best ? ns : best;
    }
    return best;
}

int main(void)
{
    const size_t size = BLOCKS * BLOCK * sizeof(int);

    if (cudaMalloc(&numbers, size) || cudaMemset(numbers, 0, size) || cudaMalloc(&zeros, size) ||
        cudaMemset(zeros, 0, size) || cudaMalloc(&zeros_too, size) ||
        cudaMemset(zeros_too, 0, size))
        return 1;
    for (const auto &row : rows)
        printf("%.3f %s\n", time_ns(row.run) / row.count, row.name);
    return 0;
}
