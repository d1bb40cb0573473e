/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the archive that build.sh has made, which is part of this program, to standard output. */
#include <unistd.h>

extern const char archive[], archive_end[];

__asm__(".section .rodata\n"
	".global archive, archive_end\n"
	"archive: .incbin \"vlag-root.tar\"\n"
	"archive_end:\n"
	".section .note.GNU-stack,\"\",%progbits\n"
	".text\n");

int main(void)
{
	for (const char *at = archive; at < archive_end;) {
		ssize_t written = write(STDOUT_FILENO, at, archive_end - at);

		if (written < 0)
			return 1;
		at += written;
	}
	return 0;
}
