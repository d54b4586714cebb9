/* Kernel arguments: made once on the host, bytes for the threads. */
#include "cases.h"

static int copies, ends;

struct Counted {
    int v;
    Counted(int v) : v(v) {}
    Counted(const Counted &other) : v(other.v) { copies++; }
    ~Counted() { ends++; }
};

struct Lock {
    int *mutex;
    Lock()
    {
        int state = 0;
        cudaMalloc((void **)&mutex, sizeof(int));
        cudaMemcpy(mutex, &state, sizeof(int), cudaMemcpyHostToDevice);
    }
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
__global__ void preset_of(Counted c, int *out, int more = 7) { *out = c.v + more; }
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
template <class F> __global__ void apply(F f, int *out) { out[threadIdx.x] = f(threadIdx.x); }
__global__ void set(int &to, int *out) { to = 5, *out = 1; }

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

int main(int, char **argv)
{
    int *out = (int *)device(4096), wrong = 0, host = 1;
    CASE(classes, "nothing")
    {
        Counted c(3);
        add<<<1, 1>>>(Counted(1), out);
        wrong += first(out) != 1 || counts(0, 1);
        add<<<1, 64>>>(2, out);
        wrong += first(out) != 2 || counts(0, 1);
        add<<<1, 64>>>(c, out);
        wrong += first(out + 63) != 66 || counts(1, 1) || c.v != 3;
        apply<<<1, 64>>>([c] __device__(int i) { return c.v + i; }, out);
        wrong += first(out) != 3;
        void (*kernel)(Counted, int *) = add;
        kernel<<<1, 64>>>(c, out), wrong += first(out + 63) != 66;
    }
    CASE(plain, "nothing")
    {
        pointers<<<1, 1>>>(out, 0, NULL, nullptr), wrong += first(out) != 1;
        int k = 10;
        apply<<<1, 64>>>([=] __device__(int i) { return i * k; }, out);
        wrong += first(out + 5) != 50;
        by_value<<<1, 1>>>(out, dim3(1, 2), make_int4(3, 4, 5, 6)), wrong += first(out) != 126;
        preset<<<1, 1>>>(out), wrong += first(out) != 7;
        preset_of<<<1, 1>>>(Counted(1), out), wrong += first(out) != 8;
        set<<<1, 1>>>(managed, out), cudaDeviceSynchronize(), wrong += managed != 5;
    }
    CASE(lock, "nothing")
    {
        /* freed as the launch returns, and again as the block ends: an error that is looked at */
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
    CASE(reference, "host pointer in a kernel") set<<<1, 1>>>(host, out), wrong += host != 5;
    return finish(wrong);
}
