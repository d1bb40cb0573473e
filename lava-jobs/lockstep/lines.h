/*
 * What a plugin of QEMU writes to standard output, where the guest's serial line goes too: words,
 * in lines that begin with "@vlag:" and the plugin's own WORD.  Included by the plugins.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE 1000 /* LAVA looks for a pattern in the last 4000 characters */

static void put(const char *text, size_t length)
{
	while (length) {
		ssize_t n = write(STDOUT_FILENO, text, length);

		if (n > 0) {
			text += n;
			length -= n;
		} else if (n < 0 && errno == EAGAIN) {
			struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

			poll(&out, 1, -1);
		} else if (n < 0 && errno != EINTR) {
			return; /* nobody reads: the count is cut off, which its reader sees */
		}
	}
}

__attribute__((format(printf, 1, 2))) static void print(const char *format, ...)
{
	char line[2 * LINE];
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(line, sizeof(line), format, values);
	va_end(values);
	put(line, length);
}

static uint64_t hash(uint64_t before, const char *text)
{
	for (; *text; text++)
		before = (before ^ (uint8_t)*text) * 0x100000001b3ull;
	return before;
}

static struct output {
	char line[LINE + 1];
	size_t length;
	uint64_t checksum;
	unsigned int words;
} output;

static void end_line(void)
{
	print("@vlag:" WORD " %s\n", output.line);
	output.checksum = hash(hash(output.checksum, output.line), "\n");
	output.length = 0;
}

static void put_word(const char *word)
{
	size_t n = strlen(word);

	if (output.length && output.length + 1 + n > LINE)
		end_line();
	output.length += sprintf(output.line + output.length, "%s%s", output.length ? " " : "", word);
	output.words++;
}

static void begin_output(void)
{
	output = (struct output){ .checksum = 0xcbf29ce484222325ull };
}
