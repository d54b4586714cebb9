/* The device that a program runs on, as its output names it. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stddef.h>

struct device {
    char name[256];
    int major, minor, multiprocessors;
    size_t l2_bytes;
    int count;            /* GPUs like it that work together: 1 unless told otherwise (lab.h) */
    double peak_gb_per_s; /* of one: theoretical bandwidth of the memory; 0 if the device does not
                             tell */
};

/* Selects device number index. No device at all ends the program with status STATUS_CUDA, a wrong
 * index with STATUS_USAGE, each with one line. */
struct device device_open(const char *program, int index);

/* Ends the program with one line and STATUS_USAGE when bytes do not fit on the device; n is the
 * count that asked for them, for the message. */
void device_check_memory(const char *program, size_t n, size_t bytes);

#endif
