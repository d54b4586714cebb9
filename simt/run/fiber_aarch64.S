/* fiber_switch(x0: where to store the stack pointer, x1: the stack pointer to continue at).
 * AAPCS64 lets a function clobber all but x19 to x29, the low halves of v8 to v15 and sp. */
#ifdef __aarch64__
    .macro  each_pair do
    \do     x19, x20, [sp]
    \do     x21, x22, [sp, #16]
    \do     x23, x24, [sp, #32]
    \do     x25, x26, [sp, #48]
    \do     x27, x28, [sp, #64]
    \do     x29, x30, [sp, #80]
    \do     d8, d9, [sp, #96]
    \do     d10, d11, [sp, #112]
    \do     d12, d13, [sp, #128]
    \do     d14, d15, [sp, #144]
    .endm

    .text
    .globl  fiber_switch, fiber_enter, fiber_start
    .type   fiber_switch, @function
    .type   fiber_start, @function
    .set    fiber_enter, fiber_switch
fiber_switch:
    sub     sp, sp, #160
    each_pair stp
    mov     x9, sp
    str     x9, [x0]
    mov     sp, x1
    each_pair ldp
    add     sp, sp, #160
    ret

fiber_start:
    mov     x0, x20
    blr     x19
    brk     #0
#endif
    .section .note.GNU-stack, "", @progbits
