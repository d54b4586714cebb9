/* Cooperative launches, whose blocks may wait for each other; launches that may begin before the
 * one before them has ended; those by a call. Kernel arguments: made once on the host, bytes for the
 * threads. */
#include "cases.h"

enum { THREADS = 64, BLOCKS = 24 };

__device__ unsigned arrived;
__device__ int sums[BLOCKS];

/* Each block has a number; after a barrier of the whole grid all add up all of them. Its shared
 * memory is there all the time. */
__global__ void all_sums(int *out, int wait)
{
    extern __shared__ int dynamic[];
    __shared__ int own;
    if (threadIdx.x > 0)
        return;
    sums[blockIdx.x] = own = (int)blockIdx.x + 1; // BUG cooperative_no_wait x276
    dynamic[10] = own - 1;
    __threadfence();
    atomicAdd(&arrived, 1);
    while (wait && atomicAdd(&arrived, 0) < gridDim.x)
        ;
    __threadfence();
    for (unsigned k = 0; k < gridDim.x; k++)
        out[blockIdx.x] += sums[k]; // BUG cooperative_no_wait
    if (own != dynamic[10] + 1 || own != (int)blockIdx.x + 1)
        out[blockIdx.x] = -1;
}
template <class T> __global__ void parameters(int *out, double factor, const T *in, short n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = (int)(factor * (double)in[i]);
}

/* ---- dependent launches ---- */

enum who { NOBODY, ALL, FIRST_WARP, ONE_OF_WARP, ONE_OF_BLOCK };
template <who waits> __global__ void read(const int *a, int *out)
{
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (waits == ALL || (waits == FIRST_WARP && t < 32) || (waits == ONE_OF_WARP && t % 32 == 0) ||
        (waits == ONE_OF_BLOCK && t == 0))
        cudaGridDependencySynchronize();
    if (waits == FIRST_WARP || waits == ONE_OF_WARP)
        __syncwarp();
    if (waits == ONE_OF_BLOCK)
        __syncthreads();
    out[i] = a[i]; // BUG waits_not, only_the_first_warp, inherited, inherited_twice: writes this word, and may
}
__global__ void fill(int *a, int value)
{
    cudaTriggerProgrammaticLaunchCompletion();
    a[blockIdx.x * blockDim.x + threadIdx.x] = value; // BUG overwrites_what_is_read x512
}

static int copies, ends;

struct Counted {
    int v;
    Counted(int v) : v(v) {}
    Counted(const Counted &other) : v(other.v) { copies++; }
    ~Counted() { ends++; }
};
struct View {
    int *at, v;
    View(int *at, int v) : at(at), v(v) {}
    __host__ __device__ View(const View &other) : at(other.at), v(other.v) {}
};
struct Lock {
    int *mutex = (int *)device(sizeof *mutex);
    ~Lock() { cudaFree(mutex); }
    __device__ void lock()
    {
        while (atomicCAS(mutex, 0, 1) != 0)
            ;
        __threadfence();
    }
    __device__ void unlock()
    {
        __threadfence();
        atomicExch(mutex, 0);
    }
};

__managed__ int managed;

__global__ void add(Counted c, int *out)
{
    c.v += threadIdx.x; /* each thread's own */
    out[threadIdx.x] = c.v;
}
__global__ void preset(int *out, int value = 7) { *out = value; }
__global__ void preset_of(View view, int more = 7) { *view.at = view.v + more; }
__global__ void critical(Lock lock, int *sum)
{
    if (threadIdx.x == 0) {
        lock.lock();
        *sum += 1;
        lock.unlock();
    }
}
__global__ void pointers(int *out, const int *none, void *nothing, int (*no)(int))
{
    *out = none == nullptr && nothing == nullptr && no == nullptr;
}
__global__ void by_value(int *out, dim3 d, int4 v) { *out = d.x * 100 + d.y * 10 + v.w; }
__global__ void set(int &to, int *out) { to = 5, *out = 1; } // BUG reference x1

/* An object of the program's own, which is destroyed when main has returned. */
static int *after_main;
static struct object {
    ~object() { if (after_main) preset<<<1, 1>>>(after_main); }
} last;

static int first(const int *out)
{
    int value = -1;
    return cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost) ? -1 : value;
}

static int counts(int want_copies, int want_ends)
{
    int wrong = copies != want_copies || ends != want_ends;
    copies = ends = 0;
    return wrong;
}

/* Of the host, also where a pointer to it is launched. */
static void count(int *calls) { ++*calls; }

int main(int, char **argv)
{
    int *a = (int *)device(4096), *b = (int *)device(4096), *out = (int *)device(4096), wrong = 0, host = 1;
    int wait = 1;
    short n = 1000;
    double two = 2;
    void *arguments[] = {&out, &wait}, *of[] = {&out, &two, &a, &n};

    CASE(cooperative, "nothing")
    {
        wrong = cudaLaunchCooperativeKernel((void *)all_sums, BLOCKS, THREADS, arguments, 64);
        return wrong + differ(out, BLOCKS, [](int) { return BLOCKS * (BLOCKS + 1) / 2; });
    }
    CASE(cooperative_no_wait, "race in global memory")
        wait = 0, cudaLaunchCooperativeKernel(all_sums, BLOCKS, THREADS, arguments, 64);
    CASE(too_many_looked_at, "nothing") /* one more than 16 multiprocessors hold */
    {
        cudaError_t error = cudaLaunchCooperativeKernel(all_sums, 513, THREADS, arguments);
        wrong = error != cudaErrorCooperativeLaunchTooLarge || cudaGetLastError() != error;
    }
    CASE(too_many, "error nobody looked at")
        cudaLaunchCooperativeKernel(all_sums, 1 << 20, THREADS, arguments);
    CASE(not_cooperative, "nothing")
    {
        wrong = cudaLaunchKernel((const void *)parameters<int>, 3, THREADS, of, 0, 0);
        wrong += cudaLaunchKernel(parameters<int>, 3, 2048, of) != cudaErrorInvalidConfiguration;
        wrong += cudaGetLastError() != cudaErrorInvalidConfiguration;
    }

    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t how = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    how.gridDim = 4;
    how.blockDim = dim3(128);
    how.attrs = &early;
    how.numAttrs = 1;
    fill<<<4, 128>>>(a, 5);
    CASE(waits, "nothing") /* and the one behind it has no attribute */
        wrong = cudaLaunchKernelEx(&how, read<ALL>, a, out), DO(512, b[i] = out[i]);
    CASE(waits_not, "dependent launch does not wait")
        wrong = cudaLaunchKernelEx(&how, read<NOBODY>, a, out);
    CASE(without_the_attribute, "nothing")
        how.numAttrs = 0, wrong = cudaLaunchKernelEx(&how, read<NOBODY>, a, out);
    CASE(other_words, "nothing") wrong = cudaLaunchKernelEx(&how, read<NOBODY>, b, out);
    CASE(one_for_the_block, "nothing") wrong = cudaLaunchKernelEx(&how, read<ONE_OF_BLOCK>, a, out);
    CASE(one_for_the_warp, "nothing") wrong = cudaLaunchKernelEx(&how, read<ONE_OF_WARP>, a, out);
    CASE(only_the_first_warp, "dependent launch does not wait")
        wrong = cudaLaunchKernelEx(&how, read<FIRST_WARP>, a, out);
    CASE(overwrites_what_is_read, "dependent launch does not wait")
        DO(512, out[i] = b[i]), wrong = cudaLaunchKernelEx(&how, fill, b, 7);
    CASE(both_read, "nothing")
        DO(512, out[i] = b[i]), wrong = cudaLaunchKernelEx(&how, read<NOBODY>, b, a);
    CASE(copy_between, "nothing")
    {
        wrong = cudaMemsetAsync(b, 0, 4, 0) != cudaSuccess;
        wrong |= cudaLaunchKernelEx(&how, read<NOBODY>, a, out);
    }
    CASE(two_before, "nothing") /* the one before waits, and this one for it */
    {
        wrong = cudaLaunchKernelEx(&how, read<ALL>, a, out);
        wrong |= cudaLaunchKernelEx(&how, read<NOBODY>, a, b);
    }
    /* The one before does not wait: this one cannot wait for the first. */
    CASE(inherited, "dependent launch does not wait") /* says for which the one behind it did not */
        cudaLaunchKernelEx(&how, fill, b, 3), wrong = cudaLaunchKernelEx(&how, read<ALL>, a, out);
    CASE(inherited_twice, "dependent launch does not wait") /* says Launch 1, for which */
    {
        wrong = cudaLaunchKernelEx(&how, fill, b, 3);
        wrong |= cudaLaunchKernelEx(&how, read<ALL>, b, out);
        wrong |= cudaLaunchKernelEx(&how, read<ALL>, a, out);
    }
    CASE(no_heritage, "nothing") /* a launch without the attribute waits for all */
    {
        wrong = cudaLaunchKernelEx(&how, fill, b, 3);
        DO(512, a[i] += b[i]);
        wrong |= cudaLaunchKernelEx(&how, read<ALL>, a, out);
    }
    CASE(too_many_threads, "error nobody looked at")
    {
        how.blockDim = 2048;
        cudaLaunchKernelEx(&how, read<NOBODY>, a, out);
    }

    /* ---- arguments ---- */
    CASE(classes, "nothing")
    {
        Counted c(3);
        add<<<1, 1>>>(Counted(1), out);
        wrong += first(out) != 1 || counts(0, 1);
        add<<<1, 64>>>(2, out);
        wrong += first(out) != 2 || counts(0, 1);
        add<<<1, 64>>>(c, out);
        wrong += first(out + 63) != 66 || counts(1, 1) || c.v != 3;
        run<<<1, 64>>>([c, out] __device__(int i) { out[i] = c.v + i; });
        wrong += first(out) != 3;
        void (*kernel)(Counted, int *) = add;
        kernel<<<1, 64>>>(c, out), wrong += first(out + 63) != 66;
    }
    CASE(plain, "nothing")
    {
        pointers<<<1, 1>>>(out, 0, NULL, nullptr), wrong += first(out) != 1;
        by_value<<<1, 1>>>(out, dim3(1, 2), make_int4(3, 4, 5, 6)), wrong += first(out) != 126;
        preset<<<1, 1>>>(out), wrong += first(out) != 7;
        preset_of<<<1, 1>>>(View(out, 1)), wrong += first(out) != 8;
        set<<<1, 1>>>(managed, out), cudaDeviceSynchronize(), wrong += managed != 5;
        void (*of_host)(int *) = count; /* nvcc's code calls it */
        of_host<<<1, 2>>>(&wrong), wrong -= 1;
        wrong += cudaLaunchKernelEx(&how, of_host, out) != cudaErrorInvalidDeviceFunction;
    }
    /* freed as the launch returns, and again as the block ends: an error that is looked at */
    CASE(lock, "nothing")
    {
        {
            Lock lock;
            critical<<<20, 64>>>(lock, out), wrong += first(out) != 20;
        }
        wrong += cudaGetLastError() != cudaErrorInvalidValue;
    }
    CASE(lock_twice, "out of bounds in global memory")
    {
        {
            Lock lock;
            critical<<<2, 32>>>(lock, out);
            critical<<<1, 32>>>(lock, out);
        }
        wrong += cudaGetLastError() != cudaErrorInvalidValue;
    }
    CASE(after_main, "out of bounds in global memory") after_main = raw<int>(1) + 1;
    CASE(reference, "host pointer in a kernel") set<<<1, 1>>>(host, out), wrong += host != 5;
    return finish(wrong);
}
