/* How a program ends: the exit statuses, and CHECK, which ends it on a CUDA error. */
#ifndef CHECK_H
#define CHECK_H

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* lab.h says what each means to the user. */
enum { STATUS_OK = 0, STATUS_WRONG = 1, STATUS_USAGE = 2, STATUS_CUDA = 3 };

/* For every CUDA call, and CHECK(cudaGetLastError()) after every launch: an error is told with its
 * place and CUDA's own words, and ends the program with STATUS_CUDA. */
#define CHECK(call) check_cuda((call), #call, __FILE__, __LINE__)
void check_cuda(cudaError_t error, const char *call, const char *file, int line);

#ifdef __cplusplus
}
#endif
#endif
