# SPDX-License-Identifier: GPL-2.0-only
# The first two sectors of a bzImage (boot protocol 2.06): into protected mode, then to 1 MiB.
	.code16
	.globl _start
	.text
_start:
	.org 0x1f1
	.byte 1				# sectors beside the first
	.org 0x1fe
	.word 0xaa55
	jmp code
	.org 0x202
	.ascii "HdrS"
	.word 0x0206
	.org 0x211
	.byte 1				# loaded high
	.org 0x214
	.long 0x100000
	.org 0x22c
	.long 0x37ffffff		# highest byte of an initrd
	.long 0
	.org 0x238
	.long 2047			# of a command line
	.org 0x260
code:
	cli
	cld
	movw %cs, %ax
	subw $0x20, %ax
	movw %ax, %ds
	movzwl %ax, %esi
	shll $4, %esi			# where this sector is
	leal table(%esi), %eax
	movl %eax, pointer + 2
	lgdtl pointer
	movl %cr0, %eax
	orb $1, %al
	movl %eax, %cr0
	ljmpl $8, $0x100000
	.balign 8
table:
	.quad 0, 0x00cf9a000000ffff, 0x00cf92000000ffff
pointer:
	.word 23
	.long 0
	.org 0x400
