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

__global__ void scale(float *a) { a[threadIdx.x] *= factor; }
__global__ void step(int *a, int last)
{
    if ((int)threadIdx.x >= last)
        a[threadIdx.x] = steps[threadIdx.x % 8];
}
__global__ void weigh(double *a) { a[threadIdx.y * 8 + threadIdx.x] = limits[1].weight[threadIdx.x % 3]; }
__device__ int look(int i) { return hidden[i]; }
__global__ void look_deeper(int *a) { a[threadIdx.x] = look(threadIdx.x % 5); }
__global__ void right(int *a)
{
    a[threadIdx.x] = valued[threadIdx.x % 4] + zero[threadIdx.x % 4] + fixed + counter + managed;
}
__global__ void only_if(int *a, int use) { a[threadIdx.x] = use ? steps[3] : 7; }

int main(int, char **argv)
{
    void *a = device(4096), *address;
    float half = 0.5f;
    int none[8] = {0};
    table two[2] = {{1, 2, {1, 2, 3}}, {3, 4, {4, 5, 6}}};

    CASE(scalar, "note: __constant__ variable that nobody set") scale<<<1, 64>>>((float *)a);
    CASE(structure, "note: __constant__ variable that nobody set") weigh<<<1, dim3(8, 4)>>>((double *)a);
    CASE(in_a_function, "note: __constant__ variable that nobody set") look_deeper<<<1, 64>>>((int *)a);
    CASE(too_late, "note: __constant__ variable that nobody set")
    {
        scale<<<1, 32>>>((float *)a);
        return finish(cudaMemcpyToSymbol(factor, &half, 4));
    }
    CASE(another, "note: __constant__ variable that nobody set")
    {
        if (cudaMemcpyToSymbol(factor, &half, 4))
            return 1;
        step<<<1, 32>>>((int *)a, 0);
    }
    CASE(set, "nothing")
    {
        if (cudaMemcpyToSymbol(factor, &half, 4) || cudaMemcpyToSymbol(steps, none, sizeof none) ||
            cudaMemcpyToSymbol(limits, two, sizeof two, 0, cudaMemcpyHostToDevice) ||
            cudaGetSymbolAddress(&address, hidden) ||
            cudaMemcpy(address, none, 5, cudaMemcpyHostToDevice))
            return 1;
        scale<<<1, 32>>>((float *)a), step<<<1, 32>>>((int *)a, 0);
        weigh<<<1, 32>>>((double *)a), look_deeper<<<1, 32>>>((int *)a);
    }
    CASE(valued, "nothing") right<<<1, 32>>>((int *)a), only_if<<<1, 32>>>((int *)a, 0);
    return finish(0);
}
