/* Threads of the host: they launch at the same time; one frees what a kernel uses, or ends while a
 * kernel waits for it. */
#include "cases.h"
#include <thread>
#include <vector>

__global__ void twice(int *p, int n)
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
                    twice<<<(n + 63) / 64, 64, 0, stream>>>(d, n);
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
    CASE(launch, "nothing") return launch(false);
    CASE(launch_bug, "out of bounds in global memory") return launch(true);

    /* The host frees, while the kernel waits for it, what the kernel has touched, or something
     * else: then it is gone before anybody has looked again, which is no deadlock. */
    TWINS(frees, "out of bounds in global memory") // hangs
    {
        int *a = (int *)device(1024), *b = (int *)device(1024), *stage;
        if (cudaMallocManaged(&stage, 3 * sizeof(int)) || cudaMemset(stage, 0, 3 * sizeof(int)))
            return 3;
        std::thread frees([=] {
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
        frees.join();
    }
    return finish(0);
}
