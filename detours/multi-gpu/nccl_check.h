/* Calls of NCCL: what CHECK is for CUDA's. */
#ifndef NCCL_CHECK_H
#define NCCL_CHECK_H

#include "lab.h"

#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>

/* As the output and the data name it: "NCCL 2.28.3" */
#define NCCL_NAME                                                                                  \
    "NCCL " ELEM_STRING_OF(NCCL_MAJOR) "." ELEM_STRING_OF(NCCL_MINOR) "." ELEM_STRING_OF(NCCL_PATCH)
#define NCCL_ELEM (ELEM_IS_INT ? ncclInt32 : sizeof(elem_t) == 4 ? ncclFloat32 : ncclFloat64)

#define NCCL(call) nccl_check((call), #call, __FILE__, __LINE__)
static void nccl_check(ncclResult_t result, const char *call, const char *file, int line)
{
    if (result == ncclSuccess)
        return;
    fprintf(stderr, "%s:%d: %s: %s; NCCL_DEBUG=WARN tells more\n", file, line, call,
            ncclGetErrorString(result));
    exit(3);
}

#endif
