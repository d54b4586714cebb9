/* Handles of streams. */
#ifndef SIMT_STREAM_H
#define SIMT_STREAM_H

#include "cuda_runtime_api.h"

#include <stdbool.h>

/* Sets *number to the stream's; 0: the legacy default stream. False if there is none of this
 * handle.
 */
bool stream_number(cudaStream_t stream, unsigned *number);

#endif
