/* fiber_switch(x0: where to store the stack pointer, x1: the stack pointer to continue at).
 * AAPCS64 lets a function clobber all but x19 to x29, the low halves of v8 to v15 and sp. */
#ifdef __aarch64__
    .text
    .globl  fiber_switch
    .type   fiber_switch, @function
fiber_switch:
    sub     sp, sp, #160
    stp     x19, x20, [sp]
    stp     x21, x22, [sp, #16]
    stp     x23, x24, [sp, #32]
    stp     x25, x26, [sp, #48]
    stp     x27, x28, [sp, #64]
    stp     x29, x30, [sp, #80]
    stp     d8, d9, [sp, #96]
    stp     d10, d11, [sp, #112]
    stp     d12, d13, [sp, #128]
    stp     d14, d15, [sp, #144]
    mov     x9, sp
    str     x9, [x0]
    mov     sp, x1
    ldp     x19, x20, [sp]
    ldp     x21, x22, [sp, #16]
    ldp     x23, x24, [sp, #32]
    ldp     x25, x26, [sp, #48]
    ldp     x27, x28, [sp, #64]
    ldp     x29, x30, [sp, #80]
    ldp     d8, d9, [sp, #96]
    ldp     d10, d11, [sp, #112]
    ldp     d12, d13, [sp, #128]
    ldp     d14, d15, [sp, #144]
    add     sp, sp, #160
    ret
    .size   fiber_switch, . - fiber_switch
    .globl  fiber_enter
    .type   fiber_enter, @function
    .set    fiber_enter, fiber_switch

    .globl  fiber_start
    .type   fiber_start, @function
fiber_start:
    mov     x0, x20
    blr     x19
    brk     #0
    .size   fiber_start, . - fiber_start
#endif
    .section .note.GNU-stack, "", @progbits
