/* Races in shared memory: trees whose rounds nothing orders, the last warp's, and values handed
 * over by words, bytes and pieces of an array. */
#include "cases.h"

enum { N = 128 };

/* Each of two blocks has put its pointer into slots when the blocks go on. */
static __device__ void exchange(int **slots, int *mine, int *arrived)
{
    if (threadIdx.x == 0) {
        slots[blockIdx.x] = mine;
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < 2)
            ;
    }
    __syncthreads();
    __threadfence();
}

int main(int, char **argv)
{
    int *in = (int *)device(4096), *out = (int *)device(4096);

    /* The last warp alone, all of whose lanes add: lane 0 reads s[16] while lane 16 writes it. They
     * mostly run in step, so without __syncwarp() it mostly works. */
    TWINS(last_warp, "race in shared memory")
    run<<<1, 64>>>([=] __device__(int t) {
        __shared__ int s[64];
        s[t] = in[t];
        __syncthreads();
        for (int d = 32; d > 0 && t < 32; d /= 2) {
            int both = s[t] + s[t + d]; // BUG
            if (right)
                __syncwarp();
            s[t] = both; // BUG
            __syncwarp();
        }
        if (t == 0)
            *out = s[0];
    });

    /* The crash comes later: what was before it is told, too. */
    CASE(crashes, "access to no memory at all and race in shared memory") DO(64,
        __shared__ int s[64]; s[i] = 0; __syncthreads();
        s[i ^ 1] = in[i]; long v = s[i]; __syncthreads(); *(int *)v = 1);

    /* Code of before Volta: volatile orders nothing. */
    CASE(volatile_warp, "race in shared memory")
    run<<<1, 64>>>([=] __device__(int t) {
        __shared__ int s[64];
        volatile int *v = s;
        s[t] = in[t];
        __syncthreads();
        if (t < 32) {
            v[t] += v[t + 32]; // BUG
            v[t] += v[t + 16]; // BUG
            v[t] += v[t + 8];  // BUG
        }
        if (t == 0)
            *out = s[0];
    });

    /* The neighbour's byte. Bytes of one word do not disturb each other. */
    TWINS(bytes, "race in shared memory")
    run<<<1, N>>>([=] __device__(int t) {
        __shared__ char s[N];
        s[t] = in[t]; // BUG: writes 1 byte
        if (right)
            __syncthreads();
        out[t] = s[(t + 33) % N]; // BUG: reads 1 byte
    });
    CASE(own_bytes, "nothing")
    run<<<3, 50>>>([=] __device__(int t) {
        __shared__ unsigned char s[50];
        __shared__ short h[50];
        s[t] = t, h[t] = s[t], s[t] = ~s[t];
        ((unsigned char *)out)[blockIdx.x * 50 + t] = s[t];
        ((short *)in)[blockIdx.x * 50 + t] = h[t] + s[t];
    });

    /* The first warp stores 16 bytes a thread, all threads read 4. */
    TWINS(vectors, "race in shared memory")
    run<<<1, N>>>([=] __device__(int t) {
        __shared__ int4 s[N / 4];
        if (t < N / 4)
            s[t] = ((const int4 *)in)[t]; // BUG: writes 16 bytes
        if (right)
            __syncthreads();
        out[t] = ((const int *)s)[(t + 1) % N]; // BUG: reads 4 bytes
    });

    /* Two arrays cut out of one overlap by one element: nothing is out of bounds. */
    TWINS(pieces, "race in shared memory")
    run<<<1, N>>>([=] __device__(int t) {
        __shared__ int s[2 * N];
        int second = right ? N : N - 1;
        s[t] = in[t];              // BUG
        s[second + t] = 2 * in[t]; // BUG
        __syncthreads();
        out[t] = s[N - 1 - t] + s[second + N - 1 - t];
    });

    /* A shuffle makes the lanes meet and hands over registers, but orders no memory. */
    TWINS(shuffle, "race in shared memory")
    run<<<1, 32>>>([=] __device__(int t) {
        __shared__ int s[32];
        int sum = in[t];
        s[t] = sum; // BUG
        for (int d = 16; d > 0; d /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, d);
        if (right)
            __syncwarp();
        out[t] = s[31 - t] * sum; // BUG
    });

    /* One warp hands its values to another by a counter in shared memory, without a barrier. */
    CASE(spin, "nothing")
    run<<<1, 64>>>([=] __device__(int t) {
        __shared__ int box[32];
        __shared__ unsigned full;
        if (t == 0)
            full = 0;
        __syncthreads();
        if (t < 32) {
            box[t] = in[t] + 1;
            __threadfence_block();
            atomicAdd(&full, 1);
        } else {
            while (atomicAdd(&full, 0) < 32)
                __nanosleep(20);
            __threadfence_block();
            out[t] = box[63 - t];
        }
    });

    /* A pointer to shared memory that another block has put into global memory. */
    TWINS(of_another_block, "not judged")
    run<<<2, 32>>>([=] __device__(int t) {
        __shared__ int s[32], *p;
        int **slots = (int **)out;
        s[t] = t;
        exchange(slots, s, in);
        if (t == 0)
            p = slots[right ? blockIdx.x : 1 - blockIdx.x];
        __syncthreads();
        in[32 * blockIdx.x + 32 + t] = p[t]; // BUG: which it cannot reach
    });
    /* Each block has both pointers. */
    CASE(of_no_known_block, "not judged")
    run<<<2, 32>>>([=] __device__(int t) {
        __shared__ int s[32];
        int **slots = (int **)out, *mine = s;
        mine[t] = t;
        exchange(slots, s, in);
        int *other = slots[1 - blockIdx.x];
        in[32 * blockIdx.x + 32 + t] = mine[t] + (other == mine); // BUG
    });
    CASE(own_of_all, "nothing")
    run<<<2, 32>>>([=] __device__(int t) {
        __shared__ int s[32];
        int **slots = (int **)out;
        s[t] = t;
        exchange(slots, s, in);
        for (int k = 0; k < 2; k++) {
            int *one = slots[k];
            if (one && k == (int)blockIdx.x)
                in[32 * k + 32 + t] = one[t];
        }
    });
    CASE(looked_at, "nothing") /* what lies in memory stays there, as without checks */
    {
        int **slots = (int **)out, *pointers[2];
        run<<<2, 32>>>([=] __device__(int t) {
            __shared__ int s[32];
            s[t] = t;
            exchange(slots, s, in);
            if (t == 0)
                in[1 + blockIdx.x] = slots[1 - blockIdx.x] != NULL;
        });
        cudaMemcpy(pointers, slots, sizeof pointers, cudaMemcpyDeviceToHost);
        return finish(pointers[0] != pointers[1]); /* all blocks find theirs at one address */
    }
    CASE(handed_on, "nothing") /* the other block hands the pointers back, by all that loads and stores */
    run<<<2, 32>>>([=] __device__(int t) {
        __shared__ int s[32];
        unsigned long long *slots = (unsigned long long *)out;
        s[t] = t;
        if (blockIdx.x == 0 && t == 0) {
            for (int k = 0; k < 8; k++)
                slots[k] = (unsigned long long)&s[k];
            __threadfence();
            atomicExch(in, 1);
        }
        while (t == 0 && atomicAdd(in, 0) < 1 + (blockIdx.x == 0))
            __nanosleep(20);
        __threadfence();
        if (blockIdx.x == 1 && t == 0) {
            slots[8] = slots[0] ? slots[0] : 1;
            slots[9] = *(volatile unsigned long long *)&slots[1];
            atomicExch(&slots[10], atomicExch(&slots[2], 0));
            slots[11] = atomicCAS(&slots[3], 1, 0);
            memcpy(&slots[12], &slots[4], 24);
            *(ulonglong2 *)&slots[16] = *(ulonglong2 *)&slots[6];
            slots[15] = atomicCAS(&slots[12], slots[4], 0); /* whose old value is the expected one */
            __threadfence();
            atomicExch(in, 2);
        }
        __syncwarp();
        if (blockIdx.x == 0 && t > 7 && t < 18 && t != 12)
            in[t] = *(int *)slots[t];
    });

    /* Lanes that have ended need not come to a __syncwarp() whose mask names them. */
    CASE(lanes_ended, "nothing")
    run<<<1, 32>>>([=] __device__(int t) {
        __shared__ int s[32];
        if (t >= 20)
            return;
        s[t] = in[t];
        __syncwarp();
        out[t] = s[19 - t];
    });
    return finish(0);
}
