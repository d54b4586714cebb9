/* Changes stacks; see lane.h. */
#if defined __x86_64__
/* fiber_switch(rdi: where to store the stack pointer, rsi: the stack pointer to continue at).
 * The System V ABI lets a function clobber all but rbx, rbp, r12 to r15 and the stack pointer. */
    .macro  change_stack
    .irp    register, rbp, rbx, r12, r13, r14, r15
    pushq   %\register
    .endr
    movq    %rsp, (%rdi)
    movq    %rsi, %rsp
    .irp    register, r15, r14, r13, r12, rbx, rbp
    popq    %\register
    .endr
    .endm

    .text
    .globl  fiber_switch, fiber_enter, fiber_start
    .type   fiber_switch, @function
    .type   fiber_enter, @function
    .type   fiber_start, @function
fiber_switch:
    change_stack
    ret

/* The same, to a fiber that has not run yet. A return to where nobody called from is never guessed
 * by the processor, and costs as much as the rest of a switch. */
fiber_enter:
    change_stack
    addq    $8, %rsp            /* past the address to return to, which is what follows here */
fiber_start:
    subq    $8, %rsp            /* a call wants the stack pointer on 16 bytes */
    movq    %r13, %rdi
    call    *%r12
    ud2

#elif defined __aarch64__
/* fiber_switch(x0: where to store the stack pointer, x1: the stack pointer to continue at).
 * AAPCS64 lets a function clobber all but x19 to x29, the low halves of v8 to v15 and sp. */
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
