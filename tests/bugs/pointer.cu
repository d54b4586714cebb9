/* Pointers of the host in a kernel, and of the device on the host. On a GPU the host crashes,
 * without a word of CUDA; a kernel reads the host's memory where the machine can do that, and is
 * slow. */
#include "../twins/cases.h"

enum { N = 64 };

/* A structure is passed by value, and so is the pointer in it, which still points to the host's
 * elements: copying the structure copies nothing behind it. */
struct vector {
    int n;
    const int *data;
};
__global__ void copy(struct vector v, int *out)
{
    int i = threadIdx.x;
    if (i < v.n)
        out[i] = v.data[i]; // BUG: in_struct
}

__global__ void squares(int *out)
{
    int i = threadIdx.x;
    out[i] = i * i;
}

/* The kernel gets the host's array instead of its copy on the device: one letter in the launch. */
__global__ void sum(const int *in, int *out)
{
    atomicAdd(out, in[threadIdx.x]); // BUG: stack
}

int main(int, char **argv)
{
    int h_in[N], *d_in = numbers(N), *out = (int *)device(N * sizeof *out), total = 0;

    for (int i = 0; i < N; i++)
        h_in[i] = i;
    CASE(in_struct, "host pointer in a kernel")
    {
        struct vector v = {N, FIXED ? d_in : h_in};
        copy<<<1, N>>>(v, out);
        return differ(out, N, [](int i) { return i; });
    }
    CASE(stack, "host pointer in a kernel")
    {
        sum<<<1, N>>>(FIXED ? d_in : h_in, out);
        return differ(out, 1, [](int) { return N * (N - 1) / 2; });
    }
    /* The host adds up results straight from device memory. */
    CASE(read_on_host, "device pointer on the host")
    {
        squares<<<1, N>>>(out);
        cudaMemcpy(h_in, out, sizeof h_in, cudaMemcpyDeviceToHost);
        int *results = FIXED ? h_in : out;
        for (int i = 0; i < N; i++)
            total += results[i]; // BUG: read_on_host
        return total != 85344;
    }
    /* The host clears the total with an assignment, as if the pointer were its own. */
    CASE(write_on_host, "device pointer on the host")
    {
        if (FIXED)
            cudaMemset(out, 0, sizeof *out);
        else
            *out = 0; // BUG: write_on_host
        sum<<<1, N>>>(d_in, out);
        return differ(out, 1, [](int) { return N * (N - 1) / 2; });
    }
    return 2;
}
