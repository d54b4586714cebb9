/* Indices that lead far away from their array: in front of it, or where a number that overflowed
 * leads. A GPU finds no memory there, and neither is it the host's. */
#include "cases.h"

int main(int, char **argv)
{
    const int width = 100000;
    int *a = (int *)device(64 * width * sizeof *a), *small = (int *)device(400);
    double *d = (double *)device(64 * width * sizeof *d);
    (void)small;

    TWINS(row_before, "out of bounds in global memory")
        DO(64, if (i == 0 || !right) a[(i - !right) * width] = i); // BUG: It lies 400000 bytes before an allocation of
    TWINS(far_before, "out of bounds in global memory")
        DO(1, a[(right ? 0L : -2000000) + i] = 1); // BUG: It lies 8000000 bytes before
    TWINS(int_overflows, "out of bounds in global memory")
        DO(2, if (i) a[(right ? 0 : i) * 46341 * 46341] = 1); // BUG: has an int overflowed
    TWINS(of_doubles, "out of bounds in global memory")
        DO(2, if (i) d[(right ? 0 : i * 70000) * 50000 / 2] = 1); // BUG: has an int overflowed
    TWINS(unsigned_row, "out of bounds in global memory")
        DO(64, if (i == 0 || !right) a[((unsigned)i - !right) * width] = i); // BUG: an unsigned index gone below 0
    CASE(of_host, "host pointer in a kernel")
    {
        static int host[10];
        int *h = host, *heap = (int *)malloc(400), *large = (int *)malloc(1 << 26);
        DO(1, a[0] = h[i]); // BUG of_host: It lies in host, a host variable.
        DO(1, a[0] = heap[i]); // BUG of_host
        DO(1, a[0] = large[1 << 20]); // BUG of_host
    }
    return finish(0);
}
