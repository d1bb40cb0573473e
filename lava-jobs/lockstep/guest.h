/*
 * Read the guest from a plugin: operands of functions from its registers, numbers from its memory,
 * and the places that a plugin's argument names.  Included by the plugins behind plugin.h.
 */
#include <stdlib.h>

GByteArray *g_byte_array_new(void); /* GLib's, which QEMU has loaded */
GByteArray *g_byte_array_set_size(GByteArray *, unsigned int);

static GByteArray *bytes;
static struct { const char *name; struct qemu_plugin_register *handle; } operands[] = {
	{ .name = "rdi" }, { .name = "rsi" }, { .name = "rdx" },
};

/* Return an operand of the function that begins here, from 0 on. */
static uint64_t operand(unsigned int n)
{
	uint64_t value = 0;

	g_byte_array_set_size(bytes, 0);
	if (qemu_plugin_read_register(operands[n].handle, bytes) == sizeof(value))
		memcpy(&value, bytes->data, sizeof(value));
	return value;
}

/* Return whether `size` bytes at an address are now in `bytes`. */
static bool read_bytes(uint64_t address, size_t size)
{
	g_byte_array_set_size(bytes, 0);
	return address && qemu_plugin_read_memory_vaddr(address, bytes, size) && bytes->len == size;
}

/* Called as each CPU begins, before which no register has a handle. */
static void began(qemu_plugin_id_t id, unsigned int cpu)
{
	GArray *all = qemu_plugin_get_registers();
	qemu_plugin_reg_descriptor *one = (void *)all->data;

	(void)id;
	(void)cpu;
	for (unsigned int i = 0; i < all->len; i++)
		for (unsigned int n = 0; n < sizeof(operands) / sizeof(*operands); n++)
			if (!strcmp(one[i].name, operands[n].name))
				operands[n].handle = one[i].handle;
}

/*
 * Read a plugin's one argument, "at=VERSION" and `count` hexadecimal numbers, with a colon before
 * each, as QEMU splits at commas; "-" stands for `none`.  Say on standard error what is wrong.
 */
static bool read_places(int argc, char **argv, const char *version, uint64_t *to, unsigned int count,
	uint64_t none)
{
	size_t length = strlen(version);
	unsigned int n;
	char *at;

	if (argc != 1 || strncmp(argv[0], "at=", 3) || strncmp(argv[0] + 3, version, length) ||
	    argv[0][3 + length] != ':') {
		fprintf(stderr, NAME ": this is version %s, asked for is %s\n", version,
			argc ? argv[0] : "none");
		return false;
	}
	at = argv[0] + 3 + length;
	for (n = 0; n < count && *at == ':'; n++)
		to[n] = at[1] == '-' ? (at += 2, none) : strtoull(at + 1, &at, 16);
	if (n < count || *at) {
		fprintf(stderr, NAME ": %u numbers are needed\n", count);
		return false;
	}
	return true;
}
