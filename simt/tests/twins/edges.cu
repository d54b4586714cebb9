/* Findings at the edges: the last bytes of an array, lanes in several arrays, each byte that
 * nobody wrote, every block; copies of such bytes to the host, and from one place to another on the
 * device. The program has no structures of its own: in one that has, words of which only a part was
 * written may be padding. */
#include "cases.h"

#include <mutex> // structures of others, of 4 and 16 bytes, which are not the program's
__device__ int total;
enum { N = 1000 };

/* The block's words, halves, bytes and four words at a time, and a variable of its own. */
template <class F> __global__ void words(F f, int *out, bool never)
{
    extern __shared__ int w[];
    __shared__ __align__(8) int s[15];
    int i = threadIdx.x;
    f(i, w, (short *)w, (char *)w, (int4 *)w, s);
    if (never) /* but the compiler must keep what is stored */
        out[i] = s[i % 15] + w[i];
}
#define OF_BLOCKS(blocks, bytes, ...)                                                              \
    words<<<blocks, 64, bytes>>>([=] __device__(int i, int *w, short *h, char *b, int4 *v, int *s) \
                                 { __VA_ARGS__; }, out, false)
/* Each thread does this, then meets the others, then does that; of five blocks. */
#define BEHIND_BARRIER(before, ...)                                                                \
    OF_BLOCKS(5, 256, int *mine = out + 64 * blockIdx.x; before; __syncthreads(); __VA_ARGS__)
/* Where a request goes is looked up once, and kept by the instruction: a place that was right before
 * is not taken for right in a later turn k. Of two blocks, whose threads are numbered by g. */
#define IN_TURNS(turns, ...)                                                                       \
    OF_BLOCKS(2, 256, int g = blockIdx.x * 64 + i; for (int k = 0; k < turns; k++) { __VA_ARGS__; })

int main(int, char **argv)
{
    int *out = raw<int>(5 * 64), *p = (int *)device(1024), *q = (int *)device(1024);
    static int copy[N];
    int wrong = 0, *a = raw<int>(N), *b = raw<int>(N);

    CASE(across_dynamic, "out of bounds in shared memory")
        OF_BLOCKS(5, 60, if (i == 0) *(double *)&w[14] = 1); // BUG x5
    CASE(end_of_dynamic, "nothing") OF_BLOCKS(5, 64, if (i == 0) *(double *)&w[14] = 1);
    CASE(across_static, "out of bounds in shared memory")
        OF_BLOCKS(5, 64, if (i == 0) *(double *)&s[14] = 1); // BUG x5
    CASE(end_of_static, "nothing") OF_BLOCKS(5, 64, if (i == 0) *(double *)&s[12] = 1);
    CASE(before_static, "out of bounds in shared memory")
        OF_BLOCKS(5, 64, if (i == 0) s[i - (int)gridDim.x / 5] = 1); // BUG x5
    CASE(across_global, "out of bounds in global memory")
        DO(64, if (i == 0) *(int *)((char *)out + 1278) = 1); // BUG x1
    CASE(end_of_global, "nothing") DO(64, if (i == 0) *(short *)((char *)out + 1278) = 1);
    CASE(three_dimensions, "out of bounds in global memory")
        run<<<dim3(1, 3, 2), dim3(4, 2, 3)>>>([=] __device__(int) {
            if (threadIdx.x == 1 && threadIdx.y == 1 && threadIdx.z == 2 && blockIdx.y == 2 && blockIdx.z)
                out[5 * 64] = 1; // BUG x1: thread (1,1,2) of block (0,2,1) writes 4 bytes
        });
    /* a reader of another warp, before two of the writer's */
    CASE(between_own, "race in shared memory")
        run<<<1, 64>>>([=] __device__(int i) {
            __shared__ int s[15];
            if (i == 0)
                s[0] = 1;
            __syncthreads();
            int sum = i == 32 || i < 2 ? s[0] : 0; // BUG x1
            __syncwarp();
            if (i == 0)
                s[0] = 2; // BUG
            out[i] = sum;
        });

    /* ---- bytes that nobody wrote ---- */
    CASE(other_byte, "uninitialised shared memory")
        BEHIND_BARRIER(b[4 * i] = 1, mine[i] = b[4 * i + 1]); // BUG x320
    CASE(missing_byte, "uninitialised shared memory")
        BEHIND_BARRIER(b[4 * i] = b[4 * i + 1] = b[4 * i + 3] = 1, mine[i] = w[i]); // BUG x320
    CASE(other_half, "uninitialised shared memory")
        BEHIND_BARRIER(h[2 * i + 1] = 1, mine[i] = h[2 * i]); // BUG x320
    CASE(missing_word, "uninitialised shared memory") /* of four */
        BEHIND_BARRIER(if (i % 4 < 3) w[i] = 1, if (i < 16) mine[i] = v[i].w + v[i].x); // BUG x80
    CASE(one_of_eight, "nothing")
        BEHIND_BARRIER(if (i < 32) b[8 * i] = 1, if (i < 32) mine[i] = (int)((double *)w)[i]);
    CASE(atomic_on_half, "uninitialised shared memory")
        BEHIND_BARRIER(h[2 * i] = 1, mine[i] = atomicAdd(&w[i], 1)); // BUG x320
    CASE(written_behind, "uninitialised shared memory")
        BEHIND_BARRIER(, mine[i] = w[i]; w[i] = 1); // BUG x320
    CASE(by_four_threads, "nothing")
        BEHIND_BARRIER(for (int k = 0; k < 4; k++) b[4 * ((i + 17 * k) % 64) + k] = 1, mine[i] = w[i]);
    CASE(atomic_alone, "uninitialised shared memory") /* reads what nobody wrote */
        BEHIND_BARRIER(, mine[i] = atomicAdd(&w[i], 1); __syncthreads(); mine[i] = w[63 - i]); // BUG x320
    CASE(exchange, "nothing") /* nobody looks at its result */
        BEHIND_BARRIER(, atomicExch(&w[i], 1); __syncthreads(); mine[i] = w[63 - i]);

    /* ---- lanes in several arrays ---- */
    CASE(last_turn, "out of bounds in global memory")
        IN_TURNS(4, atomicExch(&p[k * 43 + g], 1)); // BUG
    CASE(one_leaves_dynamic, "out of bounds in shared memory")
        IN_TURNS(4, atomicExch(&w[k == 3 && i == 5 ? 70 : i], k)); // BUG
    CASE(one_in_front, "out of bounds in global memory")
        IN_TURNS(4, p[k == 3 && g == 40 ? -1 : g] = k); // BUG
    CASE(one_of_two, "out of bounds in global memory")
        IN_TURNS(2, (i % 2 ? p : q)[k && g == 5 ? 300 : g] = k); // BUG: 1200 bytes past the start
    CASE(both_race, "race in global memory") IN_TURNS(2, (i % 2 ? p : q)[i] = g); // BUG
    CASE(spaces, "nothing") IN_TURNS(2, if (k == 0) w[i] = 1; (i % 2 ? p + g : w + i)[0] += k);
    CASE(spaces_race, "race in global memory") IN_TURNS(2, (i % 2 ? p + i : w + i)[0] = g); // BUG
    CASE(variable_and_array, "nothing") IN_TURNS(2, atomicAdd(i % 2 ? p + i : &total, 1));

    /* ---- copies ---- */
    TWINS(half, "note: copy of memory that nobody wrote") /* says Of 4000 bytes 1952 were never written, the first is byte 2048 */
    {
        run<<<2, 256>>>([=] __device__(int i) {
            for (i += blockIdx.x * 256; i < (right ? N : 512); i += 512)
                a[i] = i;
        });
        cudaMemcpy(copy, a, sizeof copy, cudaMemcpyDeviceToHost); // BUG: (element 512, if they have 4 bytes)
    }
    TWINS(by_rows, "note: copy of memory that nobody wrote")
    {
        DO(10, for (int k = 0; k < (right ? 10 : 9); k++) a[100 * i + k] = k);
        cudaMemcpy2D(copy, 40, a, 400, 40, 10, cudaMemcpyDefault); // BUG x10: Of 40 bytes 4 were
    }
    CASE(nothing_written, "note: copy of memory that nobody wrote")
        cudaMemcpy(copy, a + 10, 40, cudaMemcpyDeviceToHost); // BUG: Of 40 bytes 40 were
    TWINS(by_way_of, "note: copy of memory that nobody wrote")
    {
        cudaMemset(b, 0, N * sizeof *b);
        DO(right ? N : 999, a[i] = i);
        cudaMemcpy(b, a, N * sizeof *b, cudaMemcpyDeviceToDevice);
        cudaMemcpy(copy, b, sizeof copy, cudaMemcpyDeviceToHost); // BUG: byte 3996
    }
    TWINS(copied_and_read, "uninitialised global memory")
    {
        DO(right ? N : 999, a[i] = i);
        cudaMemcpy(b, a, N * sizeof *b, cudaMemcpyDeviceToDevice);
        DO(N, a[i] = b[i]); // BUG x1
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
