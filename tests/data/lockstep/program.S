# A kernel as Linux's boot protocol has it, for a board with an initramfs: it goes to addresses where
# kernels have their programs, works there for some time while the board's timers tick, and prints a
# digest of its initramfs and of when it came to each byte of it.  Built by as and ld of binutils.
	.code16
	.set CODE, 0x280		# where the setup's code begins, behind Linux's header
	.org 0x1f1
	.byte 3				# sectors beside the first
	.org 0x1fe
	.byte 0x55, 0xaa, 0xeb, CODE - 0x202
	.ascii "HdrS"
	.word 0x0206
	.org 0x211
	.byte 1				# loaded high
	.org 0x214
	.long 0x100000
ramdisk:				# its address and size, which the loader writes
	.org 0x22c
	.long 0x37ffffff
	.org 0x238
	.long 2047
	.org CODE
	cli
	cld
	movw %cs, %ax
	subw $0x20, %ax
	movw %ax, %ds
	movl 0x218, %esi
	movl 0x21c, %ebp
	movzwl %ax, %ebx
	shll $4, %ebx			# where this file is
	movw $0x5000, %ax		# the tables of pages
	movw %ax, %es
	addl %ebx, table + 2		# of the descriptors
	leal wide(%ebx), %eax
	movl %eax, there
	movl $0x51003, %es:0x0000	# 0 to 1 GiB, and the same from 5 GiB on
	movl $0, %es:0x0004
	movl $0x52003, %es:0x1000
	movl $0, %es:0x1004
	movl $0x52003, %es:0x1028
	movl $0, %es:0x102c
	movl $0x83, %eax
	movw $0x2000, %di
1:	movl %eax, %es:(%di)
	movl $0, %es:4(%di)
	addw $8, %di
	addl $0x200000, %eax
	cmpw $0x3000, %di
	jb 1b
	lgdt table
	movl $0x20, %eax		# PAE
	movl %eax, %cr4
	movl $0x50000, %eax
	movl %eax, %cr3
	movl $0xc0000080, %ecx		# EFER: long mode
	rdmsr
	orl $0x100, %eax
	wrmsr
	movl $0x80000001, %eax
	movl %eax, %cr0
	ljmpl *there
	.align 8
descriptors:
	.quad 0, 0x00209a0000000000, 0x0000920000000000
table:	.word 23
	.long descriptors
there:	.long 0
	.word 8
	.code64
wide:	movw $16, %ax
	movw %ax, %ds
	movw %ax, %ss
	leaq high(%rip), %rax
	btsq $32, %rax
	btsq $30, %rax
	jmp *%rax
high:	leaq hello(%rip), %r8
	call print
	movl $30000000, %ecx		# some rounds of turns
1:	decl %ecx
	jnz 1b
	xorl %ebx, %ebx
2:	testl %ebp, %ebp
	jz 4f
	movzbl (%rsi), %ecx
	imull $9973, %ecx		# each byte takes its time
3:	decl %ecx
	jns 3b
	rdtsc
	roll $5, %ebx
	xorl %eax, %ebx
	movzbl (%rsi), %eax
	addl %eax, %ebx
	incl %esi
	decl %ebp
	jmp 2b
4:	movl $8, %ecx			# four bits a letter
5:	roll $4, %ebx
	movb %bl, %al
	andb $15, %al
	addb $'a', %al
	call put
	decl %ecx
	jnz 5b
	leaq done(%rip), %r8
	call print
	movb $0xfe, %al			# reset: the end, by -no-reboot
	outb %al, $0x64
6:	hlt
	jmp 6b

print:	movb (%r8), %al
	testb %al, %al
	jz 1f
	call put
	incq %r8
	jmp print
1:	ret
put:	movb %al, %ah
	movw $0x3fd, %dx		# wait until the line takes a letter
1:	inb %dx, %al
	testb $0x20, %al
	jz 1b
	movb %ah, %al
	movw $0x3f8, %dx
	outb %al, %dx
	ret
hello:	.asciz "Linux version 6.12.0\r\n"
done:	.asciz "\r\n@vlag:done\r\n"
	.org 0x800
	.org 0xa00			# what else there is of a kernel
