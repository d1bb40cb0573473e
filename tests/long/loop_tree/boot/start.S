# SPDX-License-Identifier: GPL-2.0-only
	.text
	.globl _start
_start:
	movw $16, %ax
	movw %ax, %ds
	movw %ax, %es
	movw %ax, %ss
	movl $0x90000, %esp
	pushl %esi
	call start_kernel
1:	hlt
	jmp 1b
	.section .note.GNU-stack
