/* fiber_switch(rdi: where to store the stack pointer, rsi: the stack pointer to continue at).
 * The System V ABI lets a function clobber all but rbx, rbp, r12 to r15 and the stack pointer. */
#ifdef __x86_64__
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
#endif
    .section .note.GNU-stack, "", @progbits
