// SPDX-License-Identifier: Apache-2.0
// Leaves one stack and goes on with another: what a function call must keep is
// put on the one and taken off the other.
#if defined(__x86_64__)
	.text
	.globl lapwing_tasks_switch
	.hidden lapwing_tasks_switch
	.type lapwing_tasks_switch, @function
	.p2align 4
// void lapwing_tasks_switch(void** save, void* load)
lapwing_tasks_switch:
	.cfi_startproc
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	subq $8, %rsp
	stmxcsr (%rsp)
	fnstcw 4(%rsp)
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	ldmxcsr (%rsp)
	fldcw 4(%rsp)
	addq $8, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
	.cfi_endproc
	.size lapwing_tasks_switch, .-lapwing_tasks_switch

	.globl lapwing_tasks_begin
	.hidden lapwing_tasks_begin
	.type lapwing_tasks_begin, @function
	.p2align 4
// The first frame of a stack: no function called it, so unwinding ends here.
lapwing_tasks_begin:
	.cfi_startproc
	.cfi_undefined rip
	movq %r15, %rdi
	xorl %ebp, %ebp
	call lapwing_tasks_enter
	ud2
	.cfi_endproc
	.size lapwing_tasks_begin, .-lapwing_tasks_begin
#endif
	.section .note.GNU-stack,"",@progbits
