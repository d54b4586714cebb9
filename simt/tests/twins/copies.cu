/* Copies: of memory that nobody wrote to the host, and from one place to another on the device. */
#include "cases.h"

enum { N = 1000 };

int main(int, char **argv)
{
    static int host[N];
    int wrong = 0, *a = raw<int>(N), *b = raw<int>(N);

    TWINS(half, "note: copy of memory that nobody wrote") /* says Of 4000 bytes 1952 were never written, the first is byte 2048 */
    {
        run<<<2, 256>>>([=] __device__(int i) {
            for (i += blockIdx.x * 256; i < (right ? N : 512); i += 512)
                a[i] = i;
        });
        cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost); // BUG: (element 512, if they have 4 bytes)
    }
    TWINS(by_rows, "note: copy of memory that nobody wrote")
    {
        DO(10, for (int k = 0; k < (right ? 10 : 9); k++) a[100 * i + k] = k);
        cudaMemcpy2D(host, 40, a, 400, 40, 10, cudaMemcpyDefault); // BUG x10: Of 40 bytes 4 were
    }
    CASE(nothing_written, "note: copy of memory that nobody wrote")
        cudaMemcpy(host, a + 10, 40, cudaMemcpyDeviceToHost); // BUG: Of 40 bytes 40 were
    TWINS(by_way_of, "note: copy of memory that nobody wrote")
    {
        cudaMemset(b, 0, N * sizeof *b);
        DO(right ? N : 999, a[i] = i);
        cudaMemcpy(b, a, N * sizeof *b, cudaMemcpyDeviceToDevice);
        cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost); // BUG: byte 3996
    }
    TWINS(copied_and_read, "uninitialised global memory")
    {
        DO(right ? N : 999, a[i] = i);
        cudaMemcpy(b, a, N * sizeof *b, cudaMemcpyDeviceToDevice);
        DO(N, a[i] = b[i]); // BUG x1
    }
    CASE(managed, "nothing")
    {
        int *m, *pinned;
        wrong += cudaMallocManaged(&m, 400) || cudaMallocHost(&pinned, 400);
        cudaMemcpy(host, m, 400, cudaMemcpyDefault), cudaMemcpy(a, pinned, 400, cudaMemcpyDefault);
        cudaMemcpy(host, a, 400, cudaMemcpyDefault);
    }
    TWINS(onto_itself, "copy onto itself")
    {
        cudaMemset(a, 0, N * sizeof *a);
        cudaMemcpy(a + 1, a, (right ? 1 : N - 1) * sizeof *a, cudaMemcpyDeviceToDevice); // BUG: The destination begins 4 bytes behind
    }
    TWINS(columns, "copy onto itself")
    {
        cudaMemset(a, 0, N * sizeof *a);
        cudaMemcpy2D(a, 100, a + (right ? 10 : 9), 100, 40, 40, cudaMemcpyDeviceToDevice); // BUG
    }
    CASE(same_place, "nothing")
        cudaMemset(a, 0, 40), cudaMemcpy(a, a, 40, cudaMemcpyDeviceToDevice);
    return finish(wrong);
}
