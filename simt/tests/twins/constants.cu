/* __constant__ variables that nobody sets, and all the ways to set one. */
#include "cases.h"

struct table {
    int begin, end;
    double weight[3];
};

__constant__ float factor;
__constant__ int steps[8];
__constant__ table limits[2];
static __constant__ unsigned char hidden[5];
__constant__ int valued[4] = {1, 2, 3, 4}, zero[4] = {0, 0};
__constant__ const int fixed = 0;
__device__ int counter;
__managed__ int managed;

__device__ int look(int i) { return hidden[i % 5]; } // BUG in_a_function: hidden, a __constant__ variable of 5 bytes

int main(int, char **argv)
{
    float *a = (float *)device(4096), half = 0.5f;
    void *address;
    int none[8] = {0}, wrong = 0;
    table two[2] = {{1, 2, {1, 2, 3}}, {3, 4, {4, 5, 6}}};

    CASE(structure, "note: __constant__ variable that nobody set")
        DO(dim3(8, 4), a[i] = limits[1].weight[i % 3]);
    CASE(in_a_function, "note: __constant__ variable that nobody set") DO(64, a[i] = look(i));
    CASE(too_late, "note: __constant__ variable that nobody set")
        DO(32, a[i] *= factor), wrong = cudaMemcpyToSymbol(factor, &half, 4);
    CASE(another, "note: __constant__ variable that nobody set")
    {
        wrong = cudaMemcpyToSymbol(factor, &half, 4);
        DO(32, a[i] = steps[i % 8]);
    }
    TWINS(partly, "note: __constant__ variable that nobody set")
    {
        wrong = cudaMemcpyToSymbol(steps, none, right ? 32 : 8) || // not in bytes
                cudaMemcpyToSymbol(hidden, none, 2) || cudaMemcpyToSymbol(hidden, none, 3, 2);
        DO(1, for (int k = 0; k < 8; k++) a[i] += steps[k] + hidden[k % 5]); // BUG
    }
    CASE(set, "nothing")
    {
        wrong = cudaMemcpyToSymbol(factor, &half, 4) || cudaMemcpyToSymbol(steps, none, sizeof none) ||
                cudaMemcpyToSymbol(limits, two, sizeof two, 0, cudaMemcpyHostToDevice) ||
                cudaGetSymbolAddress(&address, hidden) ||
                cudaMemcpy(address, none, 5, cudaMemcpyHostToDevice);
        DO(32, a[i] *= factor + steps[i % 8] + limits[1].weight[i % 3] + look(i));
    }
    CASE(valued, "nothing")
        DO(32, a[i] = valued[i % 4] + zero[i % 4] + fixed + counter + managed + (i > 99 ? steps[3] : 7));
    return finish(wrong);
}
