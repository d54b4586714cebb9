/* The lab harness: everything around a reduction that is not the reduction itself.
 *
 * A step is a kernel, a host function that launches it, and one line:
 *
 *     int main(int argc, char **argv) { return lab_main(argc, argv, reduce); }
 *
 * lab_main reads the options (--help lists them), makes the input, runs and times the reduction,
 * verifies its result against the CPU's and prints both. Its value is the program's exit status:
 * 0 verified; 1 wrong: the result is, or the input was changed, or (seen on the CPU backend) no
 * kernel launched; 2 bad usage; 3 CUDA error or no device; 4 the CPU backend found a bug in the
 * kernel; 5 it found none, but could not judge to the end (only where it would be 0).
 *
 * The harness's files, from low to high: each stands on files before it alone.
 *
 *     elem value op check clock program_name  what all the others need
 *     reduction job                           what is run
 *     kernels gate timing                     how it is timed on a GPU
 *     backend                                 the one file that knows what runs it: GPU or CPU
 *     options                                 the command line
 *     device input reference verdict          what it runs on and with, and what must come out
 *     source                                  is the program older than its main.cu?
 *     output                                  what is told of it
 *     lab                                     all of it, in order */
#ifndef LAB_H
#define LAB_H

#include "check.h"
#include "elem.h"
#include "reduction.h"

#ifndef BLOCK
#define BLOCK 256 /* threads per block */
#endif

/* GPUs before compute capability 9.0 have no dependent launches: a launch begins when the one
 * before has ended, and has nothing to wait for. */
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900
#define cudaTriggerProgrammaticLaunchCompletion() ((void)0)
#define cudaGridDependencySynchronize()           ((void)0)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The step's number and name are its folder's: steps/03-sequential-addressing/main.cu. block: the
 * threads of its blocks, for the report; 0 if it chooses them itself. */
#define lab_main(argc, argv, reduce)          lab_run(argc, argv, __FILE__, BLOCK, reduce, NULL)
#define lab_main_in_place(argc, argv, reduce) lab_run(argc, argv, __FILE__, BLOCK, NULL, reduce)
int lab_run(int argc, char **argv, const char *file, int block, reduce_fn *reduce,
            reduce_in_place_fn *reduce_in_place);

/* Before lab_main, for a kernel that needs a newer GPU: on one of a lower compute capability than
 * major.minor the program ends with one line that says what it needs, status 3. */
void lab_requires(int major, int minor, const char *what);

/* The value of main on the CPU backend, for a program that cannot run there: one line says what it
 * needs, status 3. --help works all the same. */
#define lab_needs_gpu(argc, argv, what)                                                            \
    lab_refuse(argc, argv, __FILE__, "a GPU and " what,                                            \
               "on a machine that has them, make BACKEND=cuda")

/* The same for any need; make: how to build what meets it, in front of the program's name. */
int lab_refuse(int argc, char **argv, const char *file, const char *needs, const char *make);

/* Before lab_main, where a library does the work, or a program runs several reductions: the output
 * and the data name it, such as "CUB 3.5.0". The text must live on. */
void lab_uses(const char *library);

/* Before lab_main, for a kernel that leaves a sum of each `tile` elements: the reduction stores
 * them in scratch, and the harness adds them up on the CPU, outside the time. */
void lab_tiles(size_t tile);

/* For a reduction that several GPUs share, all like the one that the harness selected, from its
 * first call: how many they are. The output names them and compares with the bandwidth of all; what
 * is timed begins on all of them behind the gate (gate.h). others: the numbers of those that this
 * process drives beside the selected one; on their default streams the reduction works. */
void lab_gpus(int count, const int *others, int other_count);

#ifdef __cplusplus
}
#endif
#endif
