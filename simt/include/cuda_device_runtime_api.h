/* CUDA's own folder has it; here it is all in cuda_runtime.h. */
#include "cuda_runtime.h"
