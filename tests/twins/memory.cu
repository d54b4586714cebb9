/* Memory that a kernel may use beside cudaMalloc's: pinned, registered and managed memory, and what
 * kernels allocate themselves. */
#include "cases.h"
#include <memory>
#include <string>
#include <vector>

__managed__ int managed[8];
__device__ __managed__ double factor = 2;
__device__ int *kept[64];

struct Node {
    int v;
    Node *next;
    __device__ Node(int v, Node *next) : v(v), next(next) {}
};
__device__ Node *head;

__global__ void next(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1;
}
__global__ void scale(unsigned n) { if (threadIdx.x < n) managed[threadIdx.x] *= (int)factor; }

static int differ(const int *a, int n, int from)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += a[i] != i + from;
    return wrong;
}

__global__ void own(int *out, int n)
{
    unsigned t = threadIdx.x;
    int *p = (int *)malloc(n * sizeof(int)), sum = 0;
    if (!p)
        return;
    for (int i = 0; i < n; i++)
        p[i] = t;
    for (int i = 0; i < n; i++)
        sum += p[i];
    out[t + blockDim.x * blockIdx.x] = sum;
    free(p);
}
__global__ void of_the_block(int *out)
{
    __shared__ double *p;
    unsigned t = threadIdx.x + blockDim.x * threadIdx.y, n = blockDim.x * blockDim.y;
    if (t == 0)
        p = new double[n];
    __syncthreads();
    if (p == NULL)
        return;
    p[t] = t;
    __syncthreads();
    out[t + n * blockIdx.x] = (int)p[n - 1 - t];
    __syncthreads();
    if (t == n - 1)
        delete[] p;
}
__global__ void keep(int n)
{
    kept[threadIdx.x] = new int[n];
    for (int i = 0; i < n; i++)
        kept[threadIdx.x][i] = i;
}
__global__ void use(int *out, int i) { out[threadIdx.x] = kept[63 - threadIdx.x][i]; }
__global__ void count(int i) { atomicAdd(&kept[0][i], 1); }
__global__ void drop() { delete[] kept[threadIdx.x]; }
__global__ void push(int n)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < n; i++)
            head = new Node(i, head);
}
__global__ void pop(int *out)
{
    int sum = 0;
    for (Node *p = head; p; p = p->next)
        sum += p->v;
    out[threadIdx.x] = sum;
    __syncthreads();
    while (threadIdx.x == 0 && head) {
        Node *p = head;
        head = p->next;
        delete p;
    }
}
__global__ void churn(int *out, int n)
{
    for (int i = 0; i < n; i++) {
        int *p = new int[threadIdx.x % 8 + 1];
        *p = i;
        out[threadIdx.x] += *p;
        delete[] p;
    }
}
template <class T> struct Ticket { /* a template's static is the device's, as another function's is */
    __device__ T draw(int i)
    {
        static T next[2] = {5, 7};
        static __device__ unsigned drawn;
        return atomicAdd(&next[i], 1) + (atomicInc(&drawn, 99) > 63);
    }
};
__global__ void draw(int *out, int i) { out[threadIdx.x] = Ticket<int>().draw(i); }
__global__ void too_much(int *out) { out[threadIdx.x] = malloc(1 << 20) != NULL; }
__global__ void twice() { int *p = new int; delete p; delete p; }
__global__ void inside() { char *p = (char *)malloc(20); free(p + 4); }
__global__ void foreign(int *out) { if (threadIdx.x == 0) free(out); }
__global__ void read_freed(int *out) { int *p = new int[4]; p[3] = 2; delete[] p; *out = p[3]; }
__global__ void freed_by_another(int *out)
{
    __shared__ int *p;
    if (threadIdx.x == 0)
        p = new int[64];
    __syncthreads();
    p[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        delete[] p;
    __syncthreads();
    out[threadIdx.x] = p[threadIdx.x];
}

int main(int, char **argv)
{
    static int global[100];
    int *a, *b, *mapped, *mine, stack[100], wrong = 0;
    int *block = (int *)malloc(102 * sizeof(int)), *out = (int *)device(4096 * sizeof(int));
    std::vector<std::string> words(10, std::string(100, 'x'));
    std::unique_ptr<int, void (*)(void *)> with_free((int *)malloc(4), free);
    delete[] new int[3];

    if (!out || cudaMallocHost(&a, 400) || cudaHostAlloc((void **)&b, 400, cudaHostAllocMapped) ||
        cudaHostGetDevicePointer((void **)&mapped, b, 0) ||
        cudaHostRegister(block + 1, 400, cudaHostRegisterMapped) ||
        cudaHostGetDevicePointer(&mine, block + 1, 0) || cudaHostRegister(global, 400, 0) ||
        cudaHostRegister(stack, 400, cudaHostRegisterDefault))
        return 3;
    for (int i = 0; i < 100; i++)
        a[i] = i;
    CASE(host, "nothing")
    {
        next<<<2, 64>>>(a, mapped, 100);
        next<<<1, 128>>>(mapped, mine, 100);
        next<<<1, 128>>>(mine, global, 100);
        next<<<2, dim3(64)>>>(global, stack, 100);
        wrong += cudaMemcpy(out, stack, 400, cudaMemcpyHostToDevice) || cudaDeviceSynchronize();
        wrong += differ(b, 100, 1) + differ(block + 1, 100, 2) + differ(stack, 100, 4);
        for (int i = 0; i < 8; i++)
            managed[i] = i;
        factor = 3;
        scale<<<1, 32>>>(8);
        wrong += cudaDeviceSynchronize() || managed[7] != 21;
        wrong += cudaHostRegister(global + 50, 400, 0) != cudaErrorHostMemoryAlreadyRegistered;
        wrong += cudaHostUnregister(block + 1) || cudaHostUnregister(global);
        wrong += cudaHostUnregister(global) != cudaErrorHostMemoryNotRegistered;
        wrong += cudaFree(a) != cudaErrorInvalidValue || cudaFreeHost(a) || cudaFreeHost(b);
        wrong += cudaFreeHost(block) != cudaErrorInvalidValue;
    }
    CASE(heap, "nothing")
    {
        own<<<3, 64>>>(out, 20);
        of_the_block<<<10, dim3(16, 8)>>>(out);
        keep<<<1, 64>>>(9), use<<<1, 64>>>(out, 8), count<<<2, 64>>>(8), drop<<<1, 64>>>();
        push<<<1, 32>>>(100), pop<<<1, 32>>>(out);
        wrong += cudaMemcpy(stack, out, 400, cudaMemcpyDeviceToHost) || stack[31] != 4950;
        churn<<<1, 64>>>(out, 200);
        too_much<<<1, 32>>>(out);
        wrong += cudaMemcpy(stack, out, 128, cudaMemcpyDeviceToHost) != cudaSuccess;
        int given = 0;
        for (int i = 0; i < 32; i++)
            given += stack[i];
        wrong += given != 8;
        wrong += cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20) != cudaErrorInvalidValue;
    }
    CASE(static_of_template, "nothing")
    {
        draw<<<1, 64>>>(out, 1);
        wrong += cudaMemcpy(stack, out, 400, cudaMemcpyDeviceToHost) || stack[0] < 7 || stack[0] > 70;
    }
    CASE(behind_static_of_template, "out of bounds in global memory") draw<<<1, 1>>>(out, 2);
    CASE(copied_behind, "nothing")
    {
        wrong += cudaMemcpy(out + 10, out, 40, cudaMemcpyDeviceToDevice) != cudaSuccess;
        wrong += cudaMemcpy(out, out + 10, 40, cudaMemcpyDefault) != cudaSuccess;
        wrong += cudaMemcpy2D(out + 4, 32, out, 32, 16, 50, cudaMemcpyDeviceToDevice) != cudaSuccess;
        wrong += cudaMemcpy(out, out, 0, cudaMemcpyDeviceToDevice) != cudaSuccess;
    }
    CASE(copied_into_itself, "copy of overlapping memory")
    {
        wrong += cudaMemcpy(out + 9, out, 40, cudaMemcpyDeviceToDevice) != cudaSuccess;
    }
    CASE(copied_down, "copy of overlapping memory")
    {
        wrong += cudaMemcpyAsync(out, out + 1, 400, cudaMemcpyDefault, 0) != cudaSuccess;
    }
    CASE(rows_overlap, "copy of overlapping memory")
    {
        wrong += cudaMemcpy2D(out + 3, 32, out, 32, 16, 50, cudaMemcpyDeviceToDevice) != cudaSuccess;
    }
    CASE(larger_heap, "nothing")
    {
        size_t limit;
        wrong += cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20) != cudaSuccess;
        wrong += cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) || limit != 64 << 20;
        too_much<<<1, 32>>>(out);
        wrong += cudaMemcpy(stack, out, 128, cudaMemcpyDeviceToHost) || !stack[31];
        int *theirs;
        keep<<<1, 64>>>(4);
        wrong += cudaMemcpyFromSymbol(&theirs, kept, sizeof theirs) != cudaSuccess;
        wrong += cudaMemcpy(stack, theirs, 16, cudaMemcpyDeviceToHost) != cudaErrorInvalidValue;
        wrong += cudaFree(theirs) != cudaErrorInvalidValue;
    }
    CASE(pinned_end, "out of bounds in global memory") next<<<1, 128>>>(out, b, 101);
    CASE(pinned_freed, "out of bounds in global memory")
    {
        wrong += cudaFreeHost(b) != cudaSuccess;
        next<<<1, 32>>>(out, b, 32);
    }
    CASE(registered_end, "host pointer in a kernel") next<<<1, 128>>>(out, mine, 101);
    CASE(registered_front, "host pointer in a kernel") next<<<1, 128>>>(out, block, 100);
    CASE(unregistered, "host pointer in a kernel")
    {
        wrong += cudaHostUnregister(block + 1) != cudaSuccess;
        next<<<1, 32>>>(out, block + 1, 32);
    }
    CASE(pageable, "host pointer in a kernel")
    {
        int *pageable = (int *)malloc(400);
        next<<<1, 128>>>(out, pageable, 100);
    }
    CASE(heap_end, "out of bounds in global memory") keep<<<1, 64>>>(4), use<<<1, 64>>>(out, 4);
    CASE(heap_atomic, "out of bounds in global memory") keep<<<1, 1>>>(4), count<<<1, 1>>>(4);
    CASE(heap_freed, "out of bounds in global memory")
    {
        keep<<<1, 64>>>(4), drop<<<1, 64>>>(), use<<<1, 64>>>(out, 3);
    }
    CASE(read_freed, "out of bounds in global memory") read_freed<<<1, 1>>>(out);
    CASE(freed_by_another, "out of bounds in global memory") freed_by_another<<<1, 64>>>(out);
    CASE(twice, "wrong free") twice<<<1, 1>>>();
    CASE(inside, "wrong free") inside<<<1, 1>>>();
    CASE(foreign, "wrong free") foreign<<<1, 32>>>(out);
    CASE(dropped_twice, "wrong free")
    {
        keep<<<1, 64>>>(4), drop<<<1, 64>>>(), drop<<<1, 64>>>();
    }
    CASE(freed_by_host, "wrong free")
    {
        int *theirs;
        keep<<<1, 64>>>(4);
        wrong += cudaMemcpyFromSymbol(&theirs, kept, sizeof theirs) != cudaSuccess;
        free(theirs);
    }
    CASE(read_by_host, "device pointer on the host")
    {
        int *theirs;
        keep<<<1, 64>>>(4);
        wrong += cudaMemcpyFromSymbol(&theirs, kept, sizeof theirs) || *theirs;
    }
    return finish(wrong);
}
