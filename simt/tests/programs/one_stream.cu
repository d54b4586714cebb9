/* One stream alone, used by every kind of call: no line about several streams. */
__device__ int sum, four[4];
__global__ void add(int *a) { atomicAdd(&sum, a[threadIdx.x] + four[threadIdx.x]); }

int main()
{
    cudaStream_t s;
    int *a, h[4] = {1, 2, 3, 4};
    OK(cudaStreamCreate(&s));
    OK(cudaMallocAsync(&a, 16, s));
    OK(cudaMemsetAsync(a, 0, 16, s));
    OK(cudaMemcpyToSymbolAsync(four, h, 16, 0, cudaMemcpyHostToDevice, s));
    add<<<1, 4, 0, s>>>(a);
    OK(cudaMemcpyFromSymbolAsync(h, sum, 4, 0, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    EXPECT(h[0] == 10);
    OK(cudaFreeAsync(a, s));
}
