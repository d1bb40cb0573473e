# A guest that sleeps until a timer wakes it, 20,000 times, at ever other moments, prints a
# digest of the moments at which it woke, 16,000 letters, and a digest of when it had printed
# them.  With `busy` it never sleeps and never ends; with `still` it sleeps at once, and nothing
# wakes it.  A ROM in place of a BIOS: no disk, no
# firmware, nothing of the host's time.  Built by as and ld of binutils.
	.code16
	.globl start
start:
	.ifdef still
	cli
0:	hlt
	jmp 0b
	.endif
	.ifdef busy
0:	jmp 0b
	.endif
	cli
	cld
	xorw %ax, %ax
	movw %ax, %ds
	movw %ax, %ss
	movw $0x7000, %sp
	movw $tick, 0x20		# interrupt 8: the first timer's
	movw %cs, 0x22
	movl $0x1b, %ecx		# the timer comes by the old controllers, not by the APIC
	rdmsr
	andw $0xf7ff, %ax
	wrmsr
	movw $pics, %si			# the interrupt controllers
	movw $(pics_end - pics) / 2, %cx
1:	movw %cs:(%si), %ax
	movzbw %al, %dx
	movb %ah, %al
	outb %al, %dx
	addw $2, %si
	loop 1b
	movl $20000, %ecx
	xorl %ebx, %ebx
	sti
sleep:	movl %ecx, %eax			# some of the time awake, never the same
	imull $7919, %eax
	andl $0xfff, %eax
1:	decl %eax
	jns 1b
	hlt
	rdtsc
	roll $5, %ebx
	xorl %eax, %ebx
	decl %ecx
	jnz sleep
	cli
	call digest
	movw $16000, %cx
1:	movb $'.', %al
	call put
	loop 1b
	rdtsc
	roll $5, %ebx
	xorl %eax, %ebx
	call digest
	movb $0xfe, %al			# reset: the end, by -no-reboot
	outb %al, $0x64
2:	hlt
	jmp 2b

digest:	movw $8, %cx			# four bits a letter
1:	roll $4, %ebx
	movb %bl, %al
	andb $15, %al
	addb $'a', %al
	call put
	loop 1b
	movb $'\n', %al
put:	movb %al, %ah
	movw $0x3fd, %dx		# wait until the line takes a letter
1:	inb %dx, %al
	testb $0x20, %al
	jz 1b
	movb %ah, %al
	movw $0x3f8, %dx
	outb %al, %dx
	ret

tick:	pushw %ax
	movb $0x20, %al
	outb %al, $0x20
	popw %ax
	iretw

# Port and value: cascade of two controllers, timer only; the timer every 50 us.
pics:	.byte 0x20, 0x11, 0x21, 8, 0x21, 4, 0x21, 1, 0x21, 0xfe
	.byte 0xa0, 0x11, 0xa1, 0x70, 0xa1, 2, 0xa1, 1, 0xa1, 0xff
	.byte 0x43, 0x34, 0x40, 60, 0x40, 0
pics_end:

	.org 0xfff0
	ljmp $0xf000, $start
	.org 0x10000
