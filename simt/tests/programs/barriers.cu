/* The three voting forms. */
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
    int *out = device<int>(1024);
    for (int n : {3, 40, 1023}) {
        vote<<<1, 1024>>>(out, n);
        int *o = host(out, 1024);
        for (int i = 0; i < 1024; i++)
            EXPECT(o[i] == 1);
    }
}
