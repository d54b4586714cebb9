/* Kernels that come to no end, and those that only look like it. The arguments say which, how many
 * blocks and how many threads. */
// hangs: 0 1, 1 2, 3 2, 9 = endless loop
// hangs: 4 3, 6 7, 7 4 = deadlock
// hangs: 5 = race in global memory
// run: 10 3 40, 11 2 3, 12 2 3, 13 128 256, 14 9 16, 16 50 32, 17 32 64 = nothing
// hangs: 13 600 64 = deadlock of a grid that is too large
#include <cstdio>
#include <cstdlib>
#include <ctime>

__device__ int arrived, released, lock, flag;
__device__ int ready[1024];

/* ---- never: one line each, at which the threads are ---- */
__global__ void endless(int *p)
{
    if (threadIdx.x == 3)
        while (1); // endless
    __syncthreads(); // others
    p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void forgotten_stride(int *p)
{
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    __syncthreads();
    for (int stride = 32; stride > 0;) {
        if (threadIdx.x < stride)
            s[threadIdx.x] += s[threadIdx.x + stride]; // stride
        __syncthreads(); // barrier
    }
    p[0] = s[0];
}
__global__ void plain_flag(int *p)
{
    while (flag == 0); // plain
    p[threadIdx.x] = 1;
}
__global__ void volatile_flag(int *p)
{
    while (*(volatile int *)&flag == 0); // volatile
    p[threadIdx.x] = 1;
}
__global__ void host_flag(volatile int *flag)
{
    while (*flag == 0); // host
}
__global__ void raced_flag(int *p, int *raced)
{
    if (blockIdx.x == 1)
        *raced = 1; // raced store
    else
        while (*(volatile int *)raced != 2); // raced load
    p[threadIdx.x] = 1;
}
__global__ void atomic_flag(int *p)
{
    while (atomicAdd(&flag, 0) == 0); // atomic
    p[threadIdx.x] = 1;
}
__global__ void lock_kept(int *p, bool kept)
{
    while (atomicCAS(&lock, 0, 1) != 0) __nanosleep(20); // lock
    __threadfence();
    p[0]++;
    __threadfence();
    if (!kept || threadIdx.x != 5)
        atomicExch(&lock, 0);
}
__global__ void gives_up(int *p)
{
    for (int i = 0; i < 100000; i++)
        if (atomicAdd(&flag, 0) != 0)
            p[0] = 1;
    p[1 + blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void waits_for_time(int *p)
{
    long long start = clock64();
    while (clock64() - start < CLOCKS_PER_SEC / 20 && atomicAdd(&flag, 0) == 0);
    p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

/* ---- grids that wait for themselves ---- */
__device__ void meet(int turn)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x + threadIdx.y == 0) {
        atomicAdd(&arrived, 1);
        while (atomicAdd(&arrived, 0) < turn * gridDim.x * gridDim.y); // meet
        __threadfence();
    }
    __syncthreads();
}
__global__ void grid_barrier(int *p, int turns)
{
    unsigned blocks = gridDim.x * gridDim.y, block = blockIdx.x + blockIdx.y * gridDim.x;
    int sum = 0;
    for (int turn = 0; turn < turns; turn++) {
        if (threadIdx.x + threadIdx.y == 0)
            p[turn * blocks + block] = 1;
        meet(turn + 1);
        sum += p[turn * blocks + (block + 1) % blocks];
    }
    if (threadIdx.x + threadIdx.y == 0)
        p[turns * blocks + block] = sum;
}
__global__ void turns_backwards(int *p)
{
    __shared__ int mine;
    if (threadIdx.x == 0) {
        if (blockIdx.x + 1 < gridDim.x)
            while (atomicAdd(&ready[blockIdx.x + 1], 0) == 0)
                __nanosleep(10);
        __threadfence();
        mine = blockIdx.x + 1 < gridDim.x ? p[blockIdx.x + 1] + 1 : 1;
        p[blockIdx.x] = mine;
        __threadfence();
        atomicExch(&ready[blockIdx.x], 1);
    }
    __syncthreads();
    if (mine != gridDim.x - blockIdx.x)
        p[blockIdx.x] = -1;
}
#ifdef NESTED
__global__ void child(int *p) { *p = 1; }
__device__ void helper(int *p) { child<<<1, 1>>>(p); } // nested
__global__ void parent(int *p) { helper(p); }
#endif

static int all_are(const int *p, int n, int value)
{
    int right = 0;
    for (int i = 0; i < n; i++)
        right += p[i] == value;
    return right == n;
}

int main(int argc, char **argv)
{
    int how = atoi(argv[1]), blocks = argc > 2 ? atoi(argv[2]) : 1, threads = 64;
    int *p, *raced, *h = (int *)malloc(1 << 20), ok = 1;
    if (argc > 3)
        threads = atoi(argv[3]);
    if (cudaMalloc(&p, 1 << 20) || cudaMemset(p, 0, 1 << 20) || cudaMalloc(&raced, 4) ||
        cudaMemset(raced, 0, 4))
        return 1;
    setvbuf(stdout, NULL, _IONBF, 0);
    puts("begin");
    switch (how) {
    case 0: endless<<<blocks, threads>>>(p); break;
    case 1: forgotten_stride<<<blocks, 64>>>(p); break;
    case 3: plain_flag<<<blocks, threads>>>(p); break;
    case 4: volatile_flag<<<blocks, threads>>>(p); break;
    case 5: raced_flag<<<2, 1>>>(p, raced); break;
    case 6: atomic_flag<<<blocks, threads>>>(p); break;
    case 7: lock_kept<<<blocks, threads>>>(p, true); break;
#ifdef NESTED /* on a GPU that would need relocatable device code */
    case 8: parent<<<1, 1>>>(p); break;
#endif
    case 9: cudaMallocHost(&raced, 4), host_flag<<<1, 32>>>(raced); break;
    case 10: lock_kept<<<blocks, threads>>>(p, false); break;
    case 11: gives_up<<<blocks, threads>>>(p); break;
    case 12: waits_for_time<<<blocks, threads>>>(p); break;
    case 13: grid_barrier<<<blocks, threads>>>(p, 3); break;
    case 14: grid_barrier<<<dim3(blocks, 2), dim3(threads, 2)>>>(p, 2); break;
    case 16: turns_backwards<<<blocks, threads>>>(p); break;
    case 17: grid_barrier<<<blocks, threads, 40000>>>(p, 1); break;
    }
    if (cudaGetLastError() || cudaMemcpy(h, p, 1 << 20, cudaMemcpyDeviceToHost))
        return 1;
    if (how == 13)
        ok = all_are(h + 3 * blocks, blocks, 3);
    if (how == 14)
        ok = all_are(h + 4 * blocks, 2 * blocks, 2);
    if (how == 16)
        for (int i = 0; i < blocks; i++)
            ok &= h[i] == blocks - i;
    puts(ok ? "end" : "wrong");
    for (time_t start = time(NULL); argc > 4 && time(NULL) - start < 60;)
        ;
    return 0;
}
