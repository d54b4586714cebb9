/* What has happened when the host goes on: copies, fills and kernels that it has not waited for. */
#include "cases.h"
#include <atomic>
#include <thread>

enum { N = 1000, HALF = N / 2, BYTES = N * sizeof(int) };

__managed__ int managed_sum, beside_it;

__global__ void twice(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] *= 2;
}
__global__ void sum_up(const int *a, int n)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < n; i++)
            managed_sum += a[i];
}
__global__ void answer(int *data, volatile int *flag)
{
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        *flag = 1;
    }
}

static int differ(const int *a, int n, int factor)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += a[i] != factor * i;
    return wrong;
}

static void CUDART_CB add_up(void *data)
{
    for (int i = 1; i < N; i++)
        ((int *)data)[0] += ((int *)data)[i];
}

int main(int, char **argv)
{
    static int global[N];
    int *h, *m, pageable[N], wrong = 0, *d = (int *)device(BYTES), *e = (int *)device(BYTES);
    cudaStream_t s;
    cudaEvent_t begin, end;
    float ms = -1;

    if (cudaMallocHost(&h, BYTES) || cudaMallocManaged(&m, BYTES) ||
        cudaHostRegister(global, sizeof global, 0) || cudaStreamCreate(&s) ||
        cudaEventCreate(&begin) || cudaEventCreate(&end) || cudaDeviceSynchronize())
        return 3;
    for (int i = 0; i < N; i++)
        h[i] = m[i] = pageable[i] = global[i] = i;
    cudaMemcpy(e, pageable, BYTES, cudaMemcpyHostToDevice);

    /* ---- copies and fills ---- */
    CASE(read_early, "host does not wait")
    {
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s);
        wrong = h[N - 1] == N - 1 ? 0 : 1;
        cudaStreamSynchronize(s);
    }
    CASE(read_in_time, "nothing")
    {
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s);
        cudaStreamSynchronize(s);
        wrong = differ(h, N, 0);
    }
    CASE(source_changed, "host does not wait")
    {
        cudaMemcpyAsync(d, h, BYTES, cudaMemcpyHostToDevice, s);
        h[0] = 7;
    }
    CASE(source_kept, "nothing")
    {
        cudaMemcpyAsync(d, h, BYTES, cudaMemcpyHostToDevice, s);
        wrong = differ(h, N, 1);
        cudaEventRecord(end, s);
        cudaEventSynchronize(end);
        h[0] = 7;
    }
    CASE(other_half, "nothing")
    {
        cudaMemcpyAsync(h, d, HALF * sizeof(int), cudaMemcpyDeviceToHost, s);
        for (int i = HALF; i < N; i++)
            h[i] += h[i];
        wrong = h[HALF] != 2 * HALF;
    }
    CASE(one_too_many, "host does not wait")
    {
        cudaMemcpyAsync(h, d, HALF * sizeof(int), cudaMemcpyDeviceToHost, s);
        for (int i = HALF - 1; i < N; i++)
            h[i] += h[i];
    }
    CASE(rows, "host does not wait")
    {
        cudaMemcpy2DAsync(h, 80, e, 40, 40, 10, cudaMemcpyDeviceToHost, s);
        wrong = h[29] == 1000;
    }
    CASE(between_rows, "nothing")
    {
        cudaMemcpy2DAsync(h, 80, e, 40, 40, 10, cudaMemcpyDeviceToHost, s);
        for (int i = 10; i < 20; i++)
            wrong += h[i] != i;
    }
    CASE(memset_waits_not, "host does not wait")
    {
        cudaMemsetAsync(h, 0, BYTES, s);
        wrong = h[7];
    }
    CASE(memset_waits, "nothing")
    {
        cudaMemset(h, 0, BYTES);
        wrong = h[7];
        cudaMemset(m, 0, BYTES);
        wrong += m[7];
        cudaMemcpyAsync(m, e, BYTES, cudaMemcpyDefault, s);
        wrong += differ(m, N, 1);
    }

    /* ---- kernels ---- */
    CASE(of_a_kernel, "host does not wait")
    {
        twice<<<4, 256>>>(m, N);
        wrong = m[0];
    }
    CASE(of_a_kernel_pinned, "host does not wait")
    {
        twice<<<4, 256>>>(h, N);
        wrong = h[0];
    }
    CASE(of_a_kernel_registered, "host does not wait")
    {
        twice<<<4, 256>>>(global, N);
        global[127] = 0;
    }
    CASE(of_a_kernel_read, "host does not wait")
    {
        sum_up<<<1, 32>>>(m, 10);
        m[9] = 0;
    }
    CASE(of_a_kernel_variable, "host does not wait")
    {
        sum_up<<<1, 32>>>(e, 10);
        wrong = managed_sum != 45;
    }
    CASE(of_a_kernel_right, "nothing")
    {
        twice<<<4, 256>>>(m, HALF);
        m[HALF] = 0;
        cudaDeviceSynchronize();
        wrong = m[1] != 2;
        sum_up<<<1, 32, 0, s>>>(m, 10);
        beside_it = m[9];
        cudaStreamSynchronize(s);
        wrong += managed_sum != 90;
    }
    CASE(legacy_copy_waits, "nothing")
    {
        twice<<<4, 256, 0, s>>>(m, N);
        cudaMemcpy(pageable, d, 4, cudaMemcpyDeviceToHost);
        wrong = differ(m, N, 2);
    }
    CASE(device_copy_waits_not, "host does not wait")
    {
        twice<<<4, 256>>>(m, N);
        cudaMemcpy(d, e, 4, cudaMemcpyDeviceToDevice);
        wrong = differ(m, N, 2);
    }

    /* ---- other ways to wait ---- */
    CASE(asked, "nothing")
    {
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s);
        while (cudaStreamQuery(s) == cudaErrorNotReady)
            ;
        wrong = differ(h, N, 0);
        cudaMemcpyAsync(h, e, BYTES, cudaMemcpyDeviceToHost, s);
        cudaEventRecord(end, s);
        while (cudaEventQuery(end) != cudaSuccess)
            ;
        wrong += differ(h, N, 1);
    }
    CASE(timed, "nothing")
    {
        cudaEventRecord(begin, s);
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s);
        cudaEventRecord(end, s);
        wrong = cudaEventElapsedTime(&ms, begin, end) != cudaSuccess || !(ms >= 0);
        wrong += differ(h, N, 0);
    }
    CASE(called_back, "nothing")
    {
        cudaMemcpyAsync(h, e, BYTES, cudaMemcpyDeviceToHost, s);
        cudaLaunchHostFunc(s, add_up, h);
        wrong = h[0] != N * (N - 1) / 2;
    }
    CASE(polled, "nothing")
    {
        *m = 0;
        answer<<<1, 64, 0, s>>>(h, m);
        while (*(volatile int *)m == 0)
            ;
        wrong = differ(h, 64, 1);
    }
    CASE(polled_atomically, "nothing")
    {
        std::atomic<int> *flag = (std::atomic<int> *)m;
        *flag = 0;
        answer<<<1, 64, 0, s>>>(h, m);
        while (flag->load() == 0)
            ;
        wrong = differ(h, 64, 1);
    }
    CASE(polled_plainly, "host does not wait")
    {
        *m = 0;
        answer<<<1, 64, 0, s>>>(h, m);
        while (m[0] == 0)
            std::this_thread::yield();
    }
    return finish(wrong);
}
