/* Only looks like CUDA: the user's own names, words in strings and in comments. */
// texture<float> cudaGraphLaunch
#if !defined __DRIVER_TYPES_H__ || !defined __CUDA_RUNTIME_H__
#error helper_cuda.h asks for these before it says what checkCudaErrors is
#endif
#include <cuda.h>
#include <device_functions.h>
#include <cuda_device_runtime_api.h>
#include <vector>
struct texture { int x; };
template <class T> struct surface { T x; };
static int cudaCheck(cudaError_t e) { return e != cudaSuccess; }
#define cudaCheckAll(call) cudaCheck(call)
struct cudaTimer { int start; int cudaTicks() const { return start; } };
static void cuMultiply(int *p) { *p *= 2; }
static int tex2D(int a, int b) { return a + b; }
static int __any(int v) { return v; }
__global__ void k(int *out) { out[threadIdx.x] = blockDim.x; }

static int own_names(dim3 gridDim, int *out)
{
    dim3 threads(2, 1), blockDim(16, 1);
    k << <gridDim, blockDim >> >(out);
    { dim3 blockDim = 3; k <<< gridDim, blockDim >>> (out); }
    { const dim3 two(1, 2), blockDim = 3; threads.x += two.y - blockDim.x + 1; }
    return blockDim.x + gridDim.x + threads.x;
}
struct grid { dim3 blockDim; };
namespace own { dim3 blockDim(16, 1); unsigned twice() { return 2 * blockDim.x; } }
static unsigned of_grid(const grid *a, grid b) { return a->blockDim.x - b.blockDim.x; }

int main()
{
    texture t = {1};
    surface<int> s = {tex2D(2, 3)};
    cudaTimer cudaClock = {3};
    const char *text = "cudaGraphLaunch(tex2D)";
    std::vector<int> v(1, 4);
    cuMultiply(&t.x);
    int *out = device<int>(64), device = cudaCheckAll(cudaGetLastError());
    grid g = {3};
    EXPECT(own_names(dim3(1), out) == 19 && own::twice() == 32 && of_grid(&g, g) == 0);
    int first = host(out, 1)[0];
    EXPECT(t.x == 2 && s.x == 5 && cudaClock.cudaTicks() == 3 && v[0] == 4);
    EXPECT(device == 0 && text[0] == 'c' && __any(7) == 7 && first == 3 && std::hermite(1, 2.0) == 4);
}
