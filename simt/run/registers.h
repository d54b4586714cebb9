/* How many registers nvcc gave to kernels, as far as the program has said so (simt.h). */
#ifndef SIMT_REGISTERS_H
#define SIMT_REGISTERS_H

/* Of a thread of the kernel, by its mangled name; 0: nobody has said. */
unsigned registers_of(const char *kernel);

#endif
