/* Early returns, loops of barriers, and the three voting forms. */
__global__ void rotate(int *out, int n)
{
    __shared__ int s[256];
    int tid = threadIdx.x;
    if (tid >= n)
        return; /* before any barrier */
    s[tid] = tid;
    __syncthreads();
    for (int round = 0; round < 10; round++) {
        int next = s[(tid + 1) % n];
        __syncthreads();
        s[tid] = next;
        __syncthreads();
    }
    out[tid] = s[tid];
}

__global__ void vote(int *out, int n)
{
    int tid = threadIdx.x;
    int odd = __syncthreads_count(tid % 2), any = __syncthreads_or(tid == n),
        none = __syncthreads_or(tid == -1), all = __syncthreads_and(tid < (int)blockDim.x),
        most = __syncthreads_and(tid != n), count = __syncthreads_count(tid < n ? 8 : 0);
    out[tid] = odd == (int)blockDim.x / 2 && any == 1 && none == 0 && all == 1 && most == 0 &&
               count == n;
}

int main()
{
    for (int n : {1, 31, 32, 33, 200, 256}) {
        int *out = device<int>(256, -1);
        rotate<<<1, 256>>>(out, n);
        int *o = host(out, 256);
        for (int i = 0; i < 256; i++)
            EXPECT(o[i] == (i < n ? (i + 10) % n : -1));
    }
    int *out = device<int>(1024);
    for (int n : {3, 40, 1023}) {
        vote<<<1, 1024>>>(out, n);
        int *o = host(out, 1024);
        for (int i = 0; i < 1024; i++)
            EXPECT(o[i] == 1);
    }
}
