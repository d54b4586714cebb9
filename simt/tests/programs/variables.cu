/* __device__ and __constant__: initial values, copies to, from and into the middle; large arguments. */
__device__ int counter = 40, table[8];
__constant__ float weights[4] = {1, 2, 3, 4};
__constant__ struct { int a; double b; } pair;
__device__ static unsigned long long big;
__device__ char large[64 << 20];
__managed__ float also[16 << 20];
__device__ int tick() { static int n = 5; return atomicAdd(&n, 1); }
__global__ void of_kernel(int *out)
{
    static int launches, unused[4], *last;
    static const int of_constants[2] = {1, 2};
    last = ++launches == 1 ? out : last;
    *out = launches + unused[1] + (last == out) + of_constants[threadIdx.x] + 10 * tick();
}

__global__ void use(float *out)
{
    atomicAdd(&counter, 1);
    atomicAdd(&big, 1ull << 32);
    if (threadIdx.x == 7)
        large[(64 << 20) - 1] = also[(16 << 20) - 1] = 7;
    table[threadIdx.x] += threadIdx.x;
    out[threadIdx.x] = weights[threadIdx.x % 4] + pair.a + (float)pair.b;
}

#if __GNUC__ >= 12 /* no sum in a local without a value is right by chance; older ones fill none */
#pragma GCC diagnostic ignored "-Wuninitialized"
__global__ void unset(int *out)
{
    int sum, part[2];
    for (int i = 0; i < 4; i++)
        sum += 1, part[i % 2] += 1;
    out[0] = sum, out[1] = part[0];
}
#else
__global__ void unset(int *out) { out[0] = 0xfefeff02, out[1] = 0xfefeff00; }
#endif

/* As many bytes of arguments as may be; one more is refused (refused.csv). */
struct all { char bytes[32756]; };
__global__ void last(all p, char *out) { out[threadIdx.x] = p.bytes[32755 - threadIdx.x]; }

int main()
{
    float *out = device<float>(8), new_weights[2] = {30, 40};
    int values[8] = {100, 101, 102, 103, 104, 105, 106, 107}, count = 0, three = 0;
    struct { int a; double b; } p = {1000, 0.5};
    unsigned long long b = 0;
    char there;
    OK(cudaMemcpyToSymbolAsync(table, values, sizeof values));
    OK(cudaMemcpyToSymbol(weights, new_weights, sizeof new_weights, 2 * sizeof(float)));
    OK(cudaMemcpyToSymbol(pair, &p, sizeof p, 0, cudaMemcpyDefault));
    use<<<1, 8>>>(out);
    float *o = host(out, 8);
    const float w[4] = {1, 2, 30, 40};
    for (int i = 0; i < 8; i++)
        EXPECT(o[i] == w[i % 4] + 1000.5f);
    OK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    OK(cudaMemcpyFromSymbol(&three, table, sizeof three, 3 * sizeof three));
    OK(cudaMemcpyFromSymbol(&b, big, sizeof b));
    OK(cudaMemcpyFromSymbol(&there, large, 1, sizeof large - 1));
    EXPECT(there == 7 && also[(16 << 20) - 1] == 7);
    EXPECT(count == 48 && three == 106 && b == 8ull << 32);

    of_kernel<<<1, 1>>>((int *)out), of_kernel<<<1, 1>>>((int *)out);
    EXPECT(*host((int *)out, 1) == 2 + 1 + 1 + 10 * 6);

    unset<<<1, 1>>>((int *)out);
    EXPECT(*host((unsigned *)out, 1) == 0xfefeff02 && host((unsigned *)out, 2)[1] == 0xfefeff00);

    static all most;
    char *ends = device<char>(64);
    most.bytes[32753] = 7;
    last<<<1, 64>>>(most, ends);
    EXPECT(host(ends, 64)[2] == 7);

    static int ordinary[8];
    EXPECT(cudaMemcpyToSymbol(ordinary, values, sizeof values) == cudaErrorInvalidSymbol);
    EXPECT(cudaMemcpyToSymbol(pair, values, 4, 1 << 20) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpyToSymbol(pair, values, 4, 0, cudaMemcpyDeviceToHost) ==
           cudaErrorInvalidMemcpyDirection);
}
