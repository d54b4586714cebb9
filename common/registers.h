/* How many registers nvcc gives to the kernels of programs that ask how many blocks run at once. */
#ifndef REGISTERS_H
#define REGISTERS_H

/* Calls take, with its mangled name, for each kernel that is known of the program, built with
 * blocks of this size for this build's type, and a GPU of compute capability major.minor. Made by
 * make registers. */
void registers_each(const char *program, int block, int major, int minor,
                    void (*take)(const char *kernel, unsigned registers));

#endif
