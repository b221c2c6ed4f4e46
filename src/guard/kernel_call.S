/* SPDX-License-Identifier: Apache-2.0
 *
 * The only instructions that may enter the kernel while Syscall User Dispatch
 * looks at every other system call: [lapwing_kernel_begin, lapwing_kernel_end).
 */
    .text
    .balign 64
    .globl lapwing_kernel_begin, lapwing_kernel_end
    .hidden lapwing_kernel_begin, lapwing_kernel_end
lapwing_kernel_begin:

/* long lapwing_kernel_call(long a1 .. a6, long number): -errno on error */
    .globl lapwing_kernel_call
    .hidden lapwing_kernel_call
    .type lapwing_kernel_call, @function
lapwing_kernel_call:
    .cfi_startproc
    endbr64
    movq 8(%rsp), %rax
    movq %rcx, %r10
    syscall
    ret
    .cfi_endproc
    .size lapwing_kernel_call, . - lapwing_kernel_call

/* A system call of the program goes on here, registers as it set them; above
 * the stack pointer lie the address to return to, then its 128 bytes of red zone. */
    .globl lapwing_kernel_resume
    .hidden lapwing_kernel_resume
    .type lapwing_kernel_resume, @function
lapwing_kernel_resume:
    .cfi_startproc
    .cfi_def_cfa rsp, 136
    .cfi_offset rip, -136
    syscall
    ret $128
    .cfi_endproc
    .size lapwing_kernel_resume, . - lapwing_kernel_resume

/* The same with 128 bytes between, for a changed copy of an argument. */
    .globl lapwing_kernel_resume_with_copy
    .hidden lapwing_kernel_resume_with_copy
    .type lapwing_kernel_resume_with_copy, @function
lapwing_kernel_resume_with_copy:
    .cfi_startproc
    .cfi_def_cfa rsp, 264
    .cfi_offset rip, -264
    syscall
    ret $256
    .cfi_endproc
    .size lapwing_kernel_resume_with_copy, . - lapwing_kernel_resume_with_copy

/* Returns from a signal handler. No unwind table: unwinders and debuggers know
 * a signal frame by exactly these bytes. */
    .balign 16
    nop
    .globl lapwing_kernel_restore
    .hidden lapwing_kernel_restore
    .type lapwing_kernel_restore, @function
lapwing_kernel_restore:
    .byte 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00  /* movq $15, %rax */
    syscall
    .size lapwing_kernel_restore, . - lapwing_kernel_restore

    int3  /* the kernel looks at the address behind the instruction */
lapwing_kernel_end:
    nop
    .section .note.GNU-stack,"",@progbits
