/* An empty launch in the shape of a reduction, to be timed like one. */
#ifndef EMPTY_H
#define EMPTY_H

#include "reduction.h"

#ifdef __cplusplus
extern "C"
#endif
    reduce_fn empty_launch;

#endif
