/* Kernel arguments: made once on the host, bytes for the threads. */
#include "cases.h"

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
    CASE(reference, "host pointer in a kernel") set<<<1, 1>>>(host, out), wrong += host != 5;
    return finish(wrong);
}
