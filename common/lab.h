/* The lab harness: everything around a reduction that is not the reduction itself.
 *
 * A step is a kernel, a host function that launches it, and one line:
 *
 *     int main(int argc, char **argv) { return lab_main(argc, argv, reduce); }
 *
 * lab_main reads the options (--help lists them), makes the input, runs and times the reduction,
 * verifies its result against the CPU's and reports. Its value is the program's exit status:
 * 0 verified, 1 wrong result, 2 bad usage, 3 CUDA error or no device, 4 the CPU backend found a
 * bug in the kernel. */
#ifndef LAB_H
#define LAB_H

#include "elem.h"

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifndef BLOCK
#define BLOCK 256 /* threads a block */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Reduces in[0 … n-1], n >= 1, to the one number *out, all launches on the default stream. All
 * three are device pointers; in must not be changed. scratch has room for n elements, and for
 * 64 KiB at least, and what it holds at the start is undefined. Called once untimed before anything
 * is measured: what must be allocated once, is allocated then. */
typedef void reduce_fn(const elem_t *in, elem_t *out, elem_t *scratch, size_t n);

/* The same, but it may overwrite data[0 … n-1], its input: the harness restores that, untimed,
 * before each run. */
typedef void reduce_in_place_fn(elem_t *data, elem_t *out, elem_t *scratch, size_t n);

/* The step's number and name are its folder's: steps/03-sequential-addressing/main.cu. */
#define lab_main(argc, argv, reduce)          lab_run(argc, argv, __FILE__, BLOCK, reduce, NULL)
#define lab_main_in_place(argc, argv, reduce) lab_run(argc, argv, __FILE__, BLOCK, NULL, reduce)
int lab_run(int argc, char **argv, const char *file, int block, reduce_fn *reduce,
            reduce_in_place_fn *reduce_in_place);

/* Before lab_main, for a kernel that needs a newer GPU: on one of a lower compute capability than
 * major.minor the program ends with one line that says what it needs, status 3. */
void lab_requires(int major, int minor, const char *what);

/* What main returns on the CPU backend for a program that cannot run there: one line that says what
 * it needs, status 3. --help works all the same. */
#define lab_needs_gpu(argc, argv, what) lab_refuse(argc, argv, __FILE__, what)
int lab_refuse(int argc, char **argv, const char *file, const char *what);

/* For a reduction that several GPUs share, all like the one that the harness selected, from its
 * first call: how many they are. The report names them and compares with the bandwidth of all. */
void lab_gpus(int count);

/* For every CUDA call, and CHECK(cudaGetLastError()) after every launch: an error is told with its
 * place and CUDA's own words, and ends the program with status 3. */
#define CHECK(call) lab_check((call), #call, __FILE__, __LINE__)
void lab_check(cudaError_t error, const char *call, const char *file, int line);

#ifdef __cplusplus
}
#endif
#endif
