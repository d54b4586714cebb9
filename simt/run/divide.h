/* Integer divisions that trap on the host's processor and do not on a GPU. */
#ifndef SIMT_DIVIDE_H
#define SIMT_DIVIDE_H

/* The machine state (a ucontext_t) stands at an instruction that divides integers and cannot: steps
 * over it. By zero the quotient becomes all ones and the remainder the dividend; of the quotient
 * that does not fit (INT_MIN / -1) the low bits are kept, with remainder 0. Returns 1 if it was a
 * division by zero, 0 if it was another, -1 if it was none: then nothing has changed. */
int divide_step_over(void *context);

#endif
