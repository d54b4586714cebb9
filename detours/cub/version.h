/* Which CUB a program was built with, as its output and its data name it. */
#ifndef CUB_NAME_H
#define CUB_NAME_H

#include <cub/version.cuh>
#include <stdio.h>

#define CUB_OLD (CUB_VERSION < 300100) /* without guarantees to choose from */

/* Such as "CUB 3.5.0" */
static inline const char *cub_name(void)
{
    static char name[32];
    snprintf(name, sizeof name, "CUB %d.%d.%d", CUB_VERSION / 100000, CUB_VERSION / 100 % 1000,
             CUB_VERSION % 100);
    return name;
}

/* What main returns where CUB is old. */
#define cub_is_too_old(argc, argv)                                                                 \
    lab_refuse(argc, argv, __FILE__, "CUB 3.1 or later, which this CUDA toolkit has not",          \
               "pip install --target=build/cccl nvidia-cuda-cccl && "                              \
               "make CCCL=build/cccl/nvidia/cu13/include/cccl")

#endif
