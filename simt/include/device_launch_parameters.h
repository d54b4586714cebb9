/* threadIdx and its like are in cuda_runtime.h already; projects begun in Visual Studio include
 * this file, too. */
#include "cuda_runtime.h"
