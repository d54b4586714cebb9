/* Places in the program's code, as the logs keep them: offsets of 20 bits from its begin. */
#ifndef SIMT_CODE_H
#define SIMT_CODE_H

#include "run/event.h"

/* Begin of the program's code; the linker defines it. */
extern char __executable_start[];

/* A pc as an offset, and back. What lies beyond the reach of one is KEY_PC_MASK. */
static inline uint32_t code_offset(const void *pc)
{
    uintptr_t offset = (uintptr_t)pc - (uintptr_t)__executable_start;
    return offset < KEY_PC_MASK ? (uint32_t)offset : KEY_PC_MASK;
}

static inline uintptr_t code_address(uint32_t pc)
{
    return (uintptr_t)__executable_start + pc;
}

#endif
