/* Prints what the result must be: reference PERIOD N VALUE … The first PERIOD values repeat. */
#include "reference.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    elem_t values[100];

    for (int i = 3; i < argc; i++)
        values[i - 3] = (elem_t)atof(argv[i]);
    struct reference ref = reference_of(values, (size_t)atoi(argv[1]), (size_t)atoi(argv[2]), true);
    printf("%.9g %.9g\n", ELEM_IS_INT ? (double)ref.integer : ref.real, (double)ref.loop);
}
