/* Reads of global memory that nobody wrote, and what looks like them. */
#include "cases.h"

enum { N = 1000 };

struct Padded {
    char tag;
    double value;
    int unset[3];
};
/* Of an object with virtual functions the constructor stores which they are. */
struct Shape {
    __device__ virtual int area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    int side;
    __device__ Square(int side, bool forgets)
    {
        if (!forgets)
            this->side = side;
    }
    __device__ int area() const override { return side * side; } // BUG objects
};

static void copy(const int *in, int *out, int n) { DO(128, for (; i < n; i += 128) out[i] = in[i]); }
static void copy_wide(const int *in, int *out) /* 13 of them */
{
    DO(4, float4 v = ((const float4 *)in)[i]; out[i] = v.x + (i < 3 ? v.y : 0)); // BUG wide_behind_tail x1
}
static void copy_structures(int *out, int set)
{
    Padded *p = raw<Padded>(32), *q = (Padded *)out;
    DO(set, p[i].tag = 1; p[i].value = 2);
    DO(32, q[i] = p[i]); // BUG structures_unset x1
}

int main(int, char **argv)
{
    static int host[N];
    int wrong = 0, *a = raw<int>(N), *out = raw<int>(16384);

    TWINS(forgotten_memset, "uninitialised global memory")
    {
        right ? cudaMemset(a, 0, 4) : cudaSuccess;
        run<<<3, 64>>>([=] __device__(int) {
            atomicAdd(a, 1); // BUG: It touches byte 0 of an allocation of 4000 bytes.
        });
    }
    CASE(one_lane, "uninitialised global memory")
        DO(dim3(1, 33), atomicAdd((double *)a + threadIdx.y, 1.0)); // BUG x33
    TWINS(elements_not_bytes, "uninitialised global memory")
        cudaMemset(a, 0, right ? 4 * N : N), copy(a, out, N);
    /* An exchange writes; where the program looks at what was there it reads, too. */
    TWINS(lists_without_heads, "uninitialised global memory")
    {
        cudaMemset(a, 0, right ? 4 * 64 : 64);
        DO(64, atomicExch(&a[64 + i], i));
        DO(64, out[i] = atomicExch(&a[i], i)); // BUG x48
    }
    TWINS(copied_all_but_last, "uninitialised global memory")
        cudaMemcpy(a, host, N * sizeof(int) - (right ? 0 : 4), cudaMemcpyDefault), copy(a, out, N);
    CASE(filled_by_kernel, "nothing") DO(1000, a[i] = i), copy(a, out, N), DO(1000, a[i] += 1);
    CASE(padded_tail, "nothing") cudaMemset(a, 0, 13 * 4), copy_wide(a, out);
    CASE(wide_behind_tail, "uninitialised global memory")
        cudaMemset(a, 0, 12 * 4), copy_wide(a, out);
    CASE(single_bytes, "uninitialised global memory")
        cudaMemset(a, 0, 30), DO(32, ((char *)out)[i] = ((char *)a)[i]); // BUG x2
    CASE(freed_and_given_again, "uninitialised global memory")
    {
        int *first = raw<int>(32), *again;
        for (DO(32, first[i] = i), cudaFree(first); (again = raw<int>(32)) != first;)
            cudaFree(again);
        copy(again, out, 32);
    }
    CASE(structures, "nothing") copy_structures(out, 32);
    CASE(structures_unset, "uninitialised global memory") copy_structures(out, 31);
    /* One block hands the word's first write on by another word. */
    TWINS(published_without_fence, "uninitialised global memory")
    {
        int *ready = (int *)device(4);
        run<<<4, 1>>>([=] __device__(int) {
            if (blockIdx.x == 0) {
                atomicExch(a, 0);
                if (right)
                    __threadfence();
                atomicExch(ready, 1);
            } else {
                while (atomicAdd(ready, 0) == 0)
                    ;
                atomicAdd(a, 1); // BUG
            }
        });
    }
    CASE(byte, "note: volatile flag")
    {
        volatile char *flag = (char *)device(4);
        run<<<2, 1>>>([=] __device__(int) {
            if (blockIdx.x == 0) {
                *out = 7;
                __threadfence();
                flag[2] = 1; // BUG
            } else {
                while (flag[2] == 0) // BUG
                    ;
                __threadfence();
                *out = 8;
            }
        });
    }
    CASE(race, "race in global memory")
    run<<<64, 32>>>([=] __device__(int i) {
        if (i == 0)
            a[blockIdx.x] = 1, out[blockIdx.x] = a[(blockIdx.x + 1) % gridDim.x]; // BUG
    });
    TWINS(objects, "uninitialised global memory")
    {
        Shape **shape = raw<Shape *>(64);
        Square *square = raw<Square>(128);
        DO(64, shape[i] = new (&square[64 + i]) Square(i, !right && i == 40); new (&square[i]) Square(i, false));
        DO(64, out[i] = shape[i]->area() + square[i].area(); shape[i]->~Shape());
    }
    CASE(managed, "nothing")
    {
        int *m, *pinned;
        wrong += cudaMallocManaged(&m, 400) || cudaMallocHost(&pinned, 400);
        copy(m, out, 100), DO(100, pinned[i] += 1);
        cudaMemcpy(host, m, 400, cudaMemcpyDefault), cudaMemcpy(a, pinned, 400, cudaMemcpyDefault);
        cudaMemcpy(host, a, 400, cudaMemcpyDefault);
        cudaDeviceSynchronize(), cudaFree(m), cudaFreeHost(pinned);
    }
    TWINS(between_rows, "uninitialised global memory")
        wrong += cudaMemset2D(a, 40, 0, 32, 25) != cudaSuccess, copy(a + 10, out, right ? 8 : 9);
    return finish(wrong);
}
