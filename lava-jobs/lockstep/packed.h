/*
 * Words that a plugin keeps until the end and then writes packed: base64 of a zlib stream of
 * words, each with a NUL behind it.  Included by the plugins behind lines.h and plugin.h.
 */
#include <stdlib.h>

/* What is used of zlib and GLib, which QEMU has loaded. */
unsigned long compressBound(unsigned long);
int compress(uint8_t *, unsigned long *, const uint8_t *, unsigned long);
char *g_base64_encode(const uint8_t *, size_t);
void g_free(void *);

#define PART 60 /* letters: LAVA looks longer at a line with fewer spaces */

static struct { char *text; size_t length, room; } kept;

static void no_memory(void)
{
	fprintf(stderr, NAME ": no memory\n");
	abort();
}

static void keep(const char *text, size_t size)
{
	if (kept.length + size + 1 > kept.room) {
		kept.room = 2 * kept.room + size + (1 << 20);
		kept.text = realloc(kept.text, kept.room);
		if (!kept.text)
			no_memory();
	}
	memcpy(kept.text + kept.length, text, size);
	kept.length += size;
	kept.text[kept.length++] = 0;
}

/* Write what is kept between the first line and the last, which have the plugin's NAME. */
static void write_packed(const char *version)
{
	unsigned long packed_size = compressBound(kept.length);
	uint8_t *packed = malloc(packed_size);
	char part[PART + 1], *text;

	if (!packed || compress(packed, &packed_size, (const uint8_t *)kept.text, kept.length))
		no_memory();
	text = g_base64_encode(packed, packed_size);
	free(packed);
	begin_output();
	print("@vlag:" NAME " begin %s 1\n", version);
	for (const char *at = text; *at; at += strlen(part)) {
		snprintf(part, sizeof(part), "%.*s", PART, at);
		put_word(part);
	}
	end_line();
	g_free(text);
	print("@vlag:" NAME " end %u %016" PRIx64 "\n", output.words, output.checksum);
}
