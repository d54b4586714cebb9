/* Dynamic shared memory of any type, opted into; how it is declared: declarations.cu. */
template <class T, int N> __global__ void reverse(T *out)
{
    extern __shared__ char bytes[];
    T *s = reinterpret_cast<T *>(bytes);
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        s[i] = (T)i;
    __syncthreads();
    for (int i = threadIdx.x; i < N; i += blockDim.x)
        out[blockIdx.x * N + i] = s[N - 1 - i];
}

template <class T, int N> static void check()
{
    T *out = device<T>(2 * N);
    OK(cudaFuncSetAttribute(reverse<T, N>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            N * sizeof(T)));
    reverse<T, N><<<2, 100, N * sizeof(T)>>>(out);
    T *o = host(out, 2 * N);
    for (int i = 0; i < 2 * N; i++)
        EXPECT(o[i] == (T)(N - 1 - i % N));
}

int main()
{
    check<float, 1000>();
    check<double, 6144>();
    check<unsigned char, 200>();
    check<int, 16 * 1024>(); /* 64 KiB */
}
