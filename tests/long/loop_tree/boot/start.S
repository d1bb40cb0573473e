# SPDX-License-Identifier: GPL-2.0-only
# Into long mode: the first GiB of memory is at 0, and where x86-64 has the text of a kernel.
	.set HIGH, 0xffffffff80000000
	.code32
	.text
	.globl _start
_start:
	movw $16, %ax
	movw %ax, %ds
	movw %ax, %es
	movw %ax, %ss
	movl $pointers - HIGH + 3, %eax	# present, writable
	movl %eax, top - HIGH
	movl %eax, top - HIGH + 8 * 511
	movl $places - HIGH + 3, %eax
	movl %eax, pointers - HIGH
	movl %eax, pointers - HIGH + 8 * 510
	movl $places - HIGH, %edi
	movl $0x83, %eax		# of 2 MiB
1:	movl %eax, (%edi)
	addl $8, %edi
	addl $0x200000, %eax
	cmpl $0x40000083, %eax
	jne 1b
	lgdt table_pointer - HIGH
	movl $0x20, %eax		# physical addresses of more than 32 bits
	movl %eax, %cr4
	movl $top - HIGH, %eax
	movl %eax, %cr3
	movl $0xc0000080, %ecx		# EFER: long mode
	rdmsr
	btsl $8, %eax
	wrmsr
	movl %cr0, %eax
	orl $0x80000000, %eax		# paging
	movl %eax, %cr0
	ljmpl $8, $long_mode - HIGH
	.code64
long_mode:
	movw $16, %ax
	movw %ax, %ds
	movw %ax, %es
	movw %ax, %ss
	movq $HIGH + 0x90000, %rsp
	movl %esi, %edi
	movq $start_kernel, %rax
	call *%rax
1:	hlt
	jmp 1b

# What the programs of a board execute where a profile begins and ends: see vlag/lava/marker.py.
	.globl mark_begin, mark_end
mark_begin:
	.ascii "\x0f\x1f\x84\0vlg\1"
	ret
mark_end:
	.ascii "\x0f\x1f\x84\0vlg\2"
	ret

	.balign 8
table:
	.quad 0, 0x00af9a000000ffff, 0x00cf92000000ffff
table_pointer:
	.word 23
	.long table - HIGH
	.bss
	.balign 4096
top:	.skip 4096
pointers:
	.skip 4096
places:	.skip 4096
	.section .note.GNU-stack
