// SPDX-License-Identifier: Apache-2.0
// unsigned lapwing_poll(lapwing_loop*), as compiled loops call it: all registers
// but the result's and r11 are as they were (LLVM's preserve_all), so a loop that
// hardly ever calls need not keep its values in memory for it. That takes the
// vector registers as wide as this convention knows them, 32 bytes; most calls
// leave those alone, which is cheaper than to keep them.
#if defined(__x86_64__)
	.text
	.globl lapwing_poll
	.type lapwing_poll, @function
	.p2align 4
lapwing_poll:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	pushq %rcx
	pushq %rdx
	pushq %rsi
	pushq %rdi
	pushq %r8
	pushq %r9
	pushq %r10
	pushq %rdi
	call lapwing_poll_count
	movq (%rsp), %rdi
	testl %eax, %eax
	jne 2f
	subq $832, %rsp
	andq $-64, %rsp
	cmpb $0, lapwing_poll_has_xsave(%rip)
	je 1f
	xorl %eax, %eax  // the area's header has to be zero
	movq %rax, 512(%rsp)
	movq %rax, 520(%rsp)
	movq %rax, 528(%rsp)
	movq %rax, 536(%rsp)
	movq %rax, 544(%rsp)
	movq %rax, 552(%rsp)
	movq %rax, 560(%rsp)
	movq %rax, 568(%rsp)
	xorl %edx, %edx
	movl $6, %eax  // xmm, and what ymm has above it
	xsave (%rsp)
	call lapwing_poll_look
	movl %eax, %r11d
	xorl %edx, %edx
	movl $6, %eax
	xrstor (%rsp)
	movl %r11d, %eax
	jmp 2f
1:	fxsave (%rsp)
	call lapwing_poll_look
	fxrstor (%rsp)
2:	leaq -56(%rbp), %rsp
	popq %r10
	popq %r9
	popq %r8
	popq %rdi
	popq %rsi
	popq %rdx
	popq %rcx
	popq %rbp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size lapwing_poll, .-lapwing_poll
#endif
	.section .note.GNU-stack,"",@progbits
