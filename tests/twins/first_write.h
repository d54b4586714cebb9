/* A word gets its first write while others read it: kernels for programs with fences and without. */
enum { BARRIER, NOTHING };

/* One block sets a flag, others wait for it. */
__device__ void wait_by_add_at(int *flag)
{
    if (blockIdx.x == 0)
        atomicExch(flag, 1);
    else
        while (atomicAdd(flag, 0) == 0)
            ;
}
__global__ void wait_by_add(int *flag) { wait_by_add_at(flag); }
__device__ int device_flag;
__global__ void wait_for_device_flag() { wait_by_add_at(&device_flag); }
__global__ void wait_by_cas(unsigned long long *flag)
{
    if (blockIdx.x == 0)
        atomicExch(flag, 1ull);
    else
        while (atomicCAS(flag, 1ull, 1ull) == 0)
            ;
}
__global__ void look_once(int *found, int *out)
{
    if (blockIdx.x == 3)
        atomicExch(found, 1);
    else
        out[blockIdx.x] = atomicMax(found, 0);
}
__global__ void lock_and_unlock(int *lock)
{
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    atomicExch(lock, 0);
}
__global__ void clear_then_count(int *count)
{
    if (blockIdx.x == 0)
        *count = 0;
    atomicAdd(count, 1);
}
/* Whoever reads the word has written it before. */
__global__ void own_exchange_then_count(int *count)
{
    atomicExch(count, 0);
    atomicAdd(count, 1);
}

/* ---- within a block ---- */

template <int between> __device__ void exchange_then_count(int *count)
{
    if (threadIdx.x == 0)
        atomicExch(count, 0);
    if (between == BARRIER)
        __syncthreads();
    if (threadIdx.x > 0)
        atomicAdd(count, 1);
}
template <int between> __global__ void in_global(int *count)
{
    exchange_then_count<between>(&count[blockIdx.x]);
}
template <int between> __global__ void in_shared(int *out)
{
    __shared__ int count;
    exchange_then_count<between>(&count);
    __syncthreads();
    if (blockIdx.x == 0)
        out[threadIdx.x] = count;
}
__global__ void wait_in_block(int *out)
{
    __shared__ int flag;
    if (threadIdx.x == 0)
        atomicExch(&flag, 1);
    else if (threadIdx.x == 32)
        while (atomicAdd(&flag, 0) == 0)
            ;
    out[threadIdx.x] = 1;
}
template <bool waits> __global__ void in_warp(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 5)
        atomicExch(&count, 0);
    if (waits)
        __syncwarp();
    atomicAdd(&count, 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
__global__ void all_exchange(int *out)
{
    __shared__ int count;
    atomicExch(&count, 0);
    atomicAdd(&count, 1);
    __syncthreads();
    if (blockIdx.x == 0)
        out[threadIdx.x] = count > 0;
}
