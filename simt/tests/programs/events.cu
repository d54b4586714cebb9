/* The time between two is the host's. */
#include <ctime>
#include <unistd.h>

static double now_ms()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

int main()
{
    cudaStream_t stream;
    cudaEvent_t start, end, never;
    float ms = -1;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
    OK(cudaEventCreate(&never));
    double begin = now_ms();
    OK(cudaEventRecord(start, stream));
    usleep(20000);
    OK(cudaEventRecord(end, stream));
    double most = now_ms() - begin;
    OK(cudaEventElapsedTime(&ms, start, end));
    EXPECT(ms >= 20 && ms <= most + 0.01);
    EXPECT(cudaEventElapsedTime(&ms, start, never) == cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventRecord(NULL) == cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(start));
}
