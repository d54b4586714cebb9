/* Asynchronous work when the host goes on: copies, kernels, events. Streams run in the order of the
 * calls. Threads of the host: they launch at the same time; one frees what a kernel uses, or ends while
 * a kernel waits for it. */
#include "cases.h"
#include <future> /* std::async uses a thread-local variable of the C++ library's */
#include <thread>
#include <vector>

enum { N = 1000, HALF = N / 2, BYTES = N * sizeof(int) };

__managed__ int managed_sum;

__global__ void twice(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] *= 2;
}
static void sum_up(const int *a, cudaStream_t stream = 0)
{
    run<<<1, 10, 0, stream>>>([=] __device__(int i) { atomicAdd(&managed_sum, a[i]); });
}

/* How many of n are not as many times their index? */
static int others(const int *a, int n, int factor)
{
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += a[i] != factor * i;
    return wrong;
}

__global__ void mirrored(int *p, int n)
{
    __shared__ int s[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (i < n)
        p[i] += s[63 - threadIdx.x];
}
__global__ void beyond(int *p, int n) { p[n + threadIdx.x] = 1; } // BUG launch_bug x10

/* They wait for each other, and nothing is lost. */
static int launch(bool bug)
{
    enum { THREADS = 5, ROUNDS = 10 };
    std::vector<std::thread> threads;
    int wrong = 0;
    for (int t = 0; t < THREADS; t++)
        threads.emplace_back([=, &wrong] {
            cudaStream_t stream;
            int n = 1000 * (t + 1), *d, bad = cudaStreamCreate(&stream) != cudaSuccess;
            std::vector<int> h(n);
            for (int round = 0; round < ROUNDS; round++) {
                bad += cudaMalloc(&d, n * 4) || cudaMemset(d, 0, n * 4);
                for (int k = 0; k < 2; k++)
                    mirrored<<<(n + 63) / 64, 64, 0, stream>>>(d, n);
                if (bug && round == t)
                    beyond<<<1, 2, 0, stream>>>(d, n);
                bad += cudaGetLastError() || cudaStreamSynchronize(stream) ||
                       cudaMemcpy(h.data(), d, n * 4, cudaMemcpyDeviceToHost) || cudaFree(d);
                for (int i = 0; i < n; i++)
                    bad += h[i] != 2 * (63 - i % 64);
            }
            bad += cudaStreamDestroy(stream) != cudaSuccess;
            __atomic_fetch_add(&wrong, bad, __ATOMIC_SEQ_CST);
        });
    for (std::thread &thread : threads)
        thread.join();
    return wrong;
}

int main(int, char **argv)
{
    int *h, *g, *m, pageable[N], wrong = 0;
    int *d = (int *)device(BYTES), *e = (int *)device(BYTES);
    cudaStream_t s, t;
    cudaEvent_t event;

    if (cudaMallocHost(&h, BYTES) || cudaHostAlloc((void **)&g, BYTES, 0) ||
        cudaMallocManaged(&m, BYTES) || cudaStreamCreate(&s) ||
        cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking) || cudaEventCreate(&event) ||
        cudaDeviceSynchronize())
        return 3;
    for (int i = 0; i < N; i++)
        h[i] = g[i] = m[i] = pageable[i] = i;
    cudaMemcpy(e, pageable, BYTES, cudaMemcpyHostToDevice);

    /* ---- copies ---- */
    TWINS(read_early, "host does not wait")
    {
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s); // BUG
        if (right)
            cudaStreamSynchronize(s);
        wrong = h[N - 1] != (argv ? 0 : N); // BUG x1: reads bytes that cudaMemcpyAsync writes, without
    }
    TWINS(source_changed, "host does not wait")
    {
        cudaMemcpyAsync(d, h, BYTES, cudaMemcpyHostToDevice, s); // BUG
        wrong = others(h, N, 1);
        if (right)
            cudaEventRecord(event, s), cudaEventSynchronize(event);
        for (int i = 0; i < N; i++)
            h[i] = 0; // BUG: The host writes bytes that cudaMemcpyAsync reads, without waiting
    }
    TWINS(recorded_early, "host does not wait")
    {
        cudaMemcpyAsync(g, e, BYTES, cudaMemcpyDeviceToHost, s);
        if (!right)
            cudaEventRecord(event, s);
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s); // BUG
        if (right)
            cudaEventRecord(event, s);
        cudaEventSynchronize(event);
        wrong = g[N - 1] != N - 1 || h[N - 1] != 0; // BUG
    }
    TWINS(other_stream, "host does not wait")
    {
        cudaMemcpyAsync(g, e, BYTES, cudaMemcpyDeviceToHost, s);
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, t); // BUG
        cudaStreamSynchronize(s), cudaEventRecord(event, s), cudaStreamWaitEvent(t, event, 0), cudaEventSynchronize(event);
        if (right)
            cudaStreamSynchronize(t);
        wrong = g[N - 1] != N - 1 || h[N - 1] != 0; // BUG
    }
    CASE(stream_for_both, "nothing") /* by an event, or since the default stream waited */
    {
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s);
        cudaMemsetAsync(d, 0, 4);
        twice<<<1, 1, 0, t>>>(d, 1);
        cudaStreamSynchronize(t);
        wrong = others(h, N, 0);
        cudaMemcpyAsync(g, d, BYTES, cudaMemcpyDeviceToHost, s);
        cudaEventRecord(event, s);
        cudaStreamWaitEvent(t, event, 0);
        cudaStreamSynchronize(t);
        wrong += others(g, N, 0);
    }
    CASE(other_half, "nothing")
    {
        cudaMemcpyAsync(h + 1, d, HALF * sizeof(int), cudaMemcpyDeviceToHost, s);
        for (int i = HALF + 1; i < N; i++)
            h[i] += h[i];
        wrong = h[HALF + 1] != 2 * (HALF + 1) || h[0] != 0;
        DO(1, ((char *)g)[1] = 1), ((char *)g)[0] = 2; /* another byte of its word */
    }
    CASE(by_memcpy, "host does not wait")
    {
        cudaMemcpyAsync(h, e, BYTES, cudaMemcpyDeviceToHost, s); // BUG
        memcpy(pageable, h + 10, atoi("40")); // BUG
    }
    CASE(rows, "host does not wait")
    {
        cudaMemcpy2DAsync(h, 80, e, 40, 40, 10, cudaMemcpyDeviceToHost, s); // BUG
        wrong = h[10] != 10 || h[29] == 1000; // BUG x1
    }
    CASE(freed_later, "host does not wait")
    {
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s); // BUG
        cudaFreeAsync(d, s);
        wrong = h[3] != 0; // BUG
    }
    CASE(freed, "nothing")
    {
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s);
        cudaFree(d);
        wrong = others(h, N, 0);
        cudaMemcpyAsync(e, g, BYTES, cudaMemcpyHostToDevice, s);
        cudaFreeHost(g);
    }

    /* ---- kernels ---- */
    CASE(of_a_kernel, "host does not wait")
        twice<<<4, 256>>>(m, N), wrong = m[0]; // BUG x1: reads bytes that kernel twice writes, without
    CASE(of_a_kernel_variable, "host does not wait") sum_up(e), wrong = managed_sum != 45;
    CASE(of_a_kernel_right, "nothing")
    {
        twice<<<4, 256>>>(m, HALF);
        m[HALF] = 0; /* it touched others, */
        cudaDeviceSynchronize();
        sum_up(m, s);
        wrong = m[1] != 2; /* and this one only reads */
        cudaStreamSynchronize(s);
        wrong += managed_sum != 90;
    }
    CASE(legacy_copy_waits, "nothing")
    {
        twice<<<4, 256, 0, s>>>(m, N);
        cudaMemcpy(pageable, d, 4, cudaMemcpyDeviceToHost);
        wrong = others(m, N, 2);
    }

    /* ---- how the host learns that it may go on ---- */
    CASE(asked, "nothing")
    {
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s);
        cudaStreamQuery(s); // Some programs ask to have the work begun.
        while (cudaStreamQuery(s) == cudaErrorNotReady)
            ;
        wrong = others(h, N, 0);
        cudaMemcpyAsync(g, d, BYTES, cudaMemcpyDeviceToHost, t);
        cudaEventRecord(event, t);
        while (cudaEventQuery(event) != cudaSuccess)
            ;
        wrong += others(g, N, 0);
    }
    TWINS(asked_once, "host does not wait")
    {
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s); // BUG
        cudaEventRecord(event, s);
        if (right ? cudaStreamSynchronize(s) : cudaStreamQuery(s))
            puts("still at it");
        wrong = h[N - 1] != 0; // BUG
    }
    TWINS(timed_early, "error nobody looked at")
    {
        float ms;
        cudaEventRecord(event);
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost);
        cudaEvent_t over;
        cudaEventCreate(&over);
        cudaEventRecord(over);
        if (right)
            cudaEventSynchronize(over);
        cudaEventElapsedTime(&ms, event, over); // BUG: device not ready
    }
    CASE(timed_behind_its_stream, "nothing")
    {
        float ms;
        cudaEventRecord(event, s);
        cudaMemcpyAsync(h, d, BYTES, cudaMemcpyDeviceToHost, s);
        cudaEvent_t over;
        cudaEventCreate(&over);
        cudaEventRecord(over, s);
        cudaStreamSynchronize(s);
        wrong = cudaEventElapsedTime(&ms, event, over) + cudaEventQuery(over) + cudaStreamQuery(s);
    }
    CASE(polled, "nothing")
    {
        volatile int *flag = g;
        *flag = 0;
        run<<<1, 64, 0, s>>>([=] __device__(int i) {
            h[i] = i;
            __syncthreads();
            __threadfence_system();
            if (i == 0)
                *flag = 1;
        });
        while (*flag == 0)
            ;
        wrong = others(h, 64, 1);
    }
    CASE(looked_at, "nothing") /* who looks at a volatile word expects that it changes */
    {
        volatile int *flag = g;
        run<<<1, 64, 0, s>>>([=] __device__(int i) { h[i] = *flag; });
        g[0] = 1;
        wrong = cudaStreamSynchronize(s) || h[63];
    }
    CASE(polled_plainly, "host does not wait")
    {
        h[0] = -1;
        cudaMemcpyAsync(h, e, BYTES, cudaMemcpyDeviceToHost, s); // BUG
        while (h[0] < 0) // BUG x1
            std::this_thread::yield();
    }
    CASE(called_back, "nothing")
    {
        cudaMemcpyAsync(h, e, BYTES, cudaMemcpyDeviceToHost, s);
        cudaLaunchHostFunc(s, [](void *data) { ((int *)data)[0]++; }, h);
        cudaStreamAddCallback(s, [](cudaStream_t, cudaError_t error, void *data) {
            ((int *)data)[0] += error == cudaSuccess;
        }, h, 0);
        wrong = cudaStreamSynchronize(s) || h[0] != 2;
    }

    /* ---- streams ---- */
    CASE(chunks, "nothing") // says simt: several streams were used: they ran in the order of the calls, and
    {
        cudaStream_t both[2] = {s, t};
        for (int k = 0; k < 2; k++) {
            cudaMemcpyAsync(d + k * HALF, h + k * HALF, BYTES / 2, cudaMemcpyHostToDevice, both[k]);
            twice<<<2, 256, 0, both[k]>>>(d + k * HALF, HALF);
            cudaMemcpyAsync(h + k * HALF, d + k * HALF, BYTES / 2, cudaMemcpyDeviceToHost, both[k]);
        }
        cudaDeviceSynchronize();
        wrong = others(h, N, 2);
    }
    CASE(handles, "nothing")
    {
        cudaError_t bad = cudaErrorInvalidResourceHandle;
        cudaStream_t none = (cudaStream_t)((char *)t + 1);
        wrong = (cudaStreamSynchronize(none) != bad) + (cudaMemsetAsync(d, 0, 4, none) != bad);
        cudaStreamDestroy(t);
        wrong += (cudaStreamQuery(t) != bad) + (cudaStreamDestroy(t) != bad);
        twice<<<4, 256, 0, t>>>(d, N);
        wrong += cudaGetLastError() != bad;
    }
    CASE(bad_handle, "error nobody looked at") twice<<<4, 256, 0, (cudaStream_t)h>>>(d, N);

    /* ---- threads of the host ---- */
    CASE(launch, "nothing") return launch(false);
    CASE(launch_bug, "out of bounds in global memory") return launch(true);

    /* The host frees, while the kernel waits for it, what the kernel has touched, or something
     * else: then it is gone before anybody has looked again, which is no deadlock. */
    TWINS(frees, "out of bounds in global memory") // hangs
    {
        int *a = (int *)device(1024), *b = (int *)device(1024), *stage;
        if (cudaMallocManaged(&stage, 3 * sizeof(int)) || cudaMemset(stage, 0, 3 * sizeof(int)))
            return 3;
        auto frees = std::async(std::launch::async, [=] {
            while (__atomic_load_n(&stage[0], __ATOMIC_SEQ_CST) == 0)
                ;
            cudaFree(right ? b : a);
            __atomic_store_n(&stage[1], 1, __ATOMIC_SEQ_CST);
        });
        run<<<1, 1>>>([=] __device__(int) {
            for (int turn = 0; turn < 2; turn++) {
                a[0] = turn; // BUG
                for (int i = 0; i < 1000; i++)
                    atomicAdd(&stage[2], 1);
                atomicExch(&stage[0], 1);
                while (atomicAdd(&stage[1], 0) == 0)
                    ;
            }
        });
        frees.get();
    }
    return finish(wrong);
}
