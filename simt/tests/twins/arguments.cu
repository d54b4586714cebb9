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

/* Frees when the last copy on the host ends; copies on the device do not count. */
class Buffer {
public:
    Buffer(size_t n) : data((int *)device(n * sizeof(int))), users(new int(1)) {}
    Buffer(const Buffer &other) : data(other.data), users(other.users) { ++*users; }
    ~Buffer()
    {
        if (--*users == 0) {
            wrong_frees += cudaFree(data) != cudaSuccess;
            delete users;
        }
    }
    __device__ int &operator[](int i) { return data[i]; }
    int *get() { return data; }
    static int wrong_frees;

private:
    int *data, *users;
};
int Buffer::wrong_frees;

__managed__ int managed;

__global__ void add(Counted c, int *out)
{
    c.v += threadIdx.x; /* each thread's own */
    out[threadIdx.x] = c.v;
}
__global__ void fill(Buffer b, int value = 7) { b[threadIdx.x] = value + threadIdx.x; }
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
        Buffer buffer(64);
        fill<<<1, 64>>>(buffer, 8);
        wrong += first(buffer.get() + 63) != 71;
        void (*kernel)(Buffer, int) = fill;
        kernel<<<1, 64>>>(buffer, 9);
        wrong += first(buffer.get() + 63) != 72;
    }
    CASE(plain, "nothing")
    {
        pointers<<<1, 1>>>(out, 0, NULL, nullptr), wrong += first(out) != 1;
        int k = 10;
        apply<<<1, 64>>>([=] __device__(int i) { return i * k; }, out);
        wrong += first(out + 5) != 50;
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
    return finish(wrong + Buffer::wrong_frees);
}
