/* fiber_switch(rdi: where to store the stack pointer, rsi: the stack pointer to continue at).
 * The System V ABI lets a function clobber all but rbx, rbp, r12 to r15 and the stack pointer. */
#ifdef __x86_64__
    .text
    .globl  fiber_switch
    .type   fiber_switch, @function
fiber_switch:
    pushq   %rbp
    pushq   %rbx
    pushq   %r12
    pushq   %r13
    pushq   %r14
    pushq   %r15
    movq    %rsp, (%rdi)
    movq    %rsi, %rsp
    popq    %r15
    popq    %r14
    popq    %r13
    popq    %r12
    popq    %rbx
    popq    %rbp
    ret
    .size   fiber_switch, . - fiber_switch

/* fiber_enter: the same, to a fiber that has not run yet. A return to where nobody called from is
 * never guessed by the processor, and costs as much as the rest of a switch. */
    .globl  fiber_enter
    .type   fiber_enter, @function
fiber_enter:
    pushq   %rbp
    pushq   %rbx
    pushq   %r12
    pushq   %r13
    pushq   %r14
    pushq   %r15
    movq    %rsp, (%rdi)
    movq    %rsi, %rsp
    popq    %r15
    popq    %r14
    popq    %r13
    popq    %r12
    popq    %rbx
    popq    %rbp
    addq    $8, %rsp            /* past the address to return to, which is what follows here */
    .size   fiber_enter, . - fiber_enter

    .globl  fiber_start
    .type   fiber_start, @function
fiber_start:
    subq    $8, %rsp            /* a call wants the stack pointer on 16 bytes */
    movq    %r13, %rdi
    call    *%r12
    ud2
    .size   fiber_start, . - fiber_start
#endif
    .section .note.GNU-stack, "", @progbits
