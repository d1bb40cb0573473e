/*
 * Count what the guest of an emulator executes, by translation block: a plugin of QEMU.
 *
 * Counting begins and ends with a marker: an instruction that does nothing, with an operand
 * that no compiler makes, which the board's runner executes.  At the end the counts are
 * written to standard output, where the guest's serial line goes too, as lines that begin with
 * "@vlag:".  The guest's clock counts its instructions, so none of this costs guest time: what
 * the guest prints stays the same to the last byte.
 *
 *   @vlag:profile begin VERSION CPUS
 *   @vlag:counts ADDRESS:INSTRUCTIONS:EXECUTED,... ...
 *   @vlag:profile end BLOCKS CHECKSUM
 *
 * ADDRESS is that of the block in hexadecimal digits, 0 for all of user space; INSTRUCTIONS the
 * number it has; EXECUTED how often each CPU has entered it.  CHECKSUM is the FNV-1a hash, of 64
 * bits, of all that stands behind "@vlag:counts " with one line end a line.
 *
 * A block that an exception ends early counts as a whole.  QEMU's inline counters, which are
 * faster than a callback, stop the guest under -icount.
 */
/* A part of the key of every run that is profiled: raise it with what is counted. */
#define VERSION "1"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is used of the plugin API, version 4, which QEMU has had since 9.2.  No Debian package
 * has its header. */
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef struct {
	const char *target_name;
	struct { int min, cur; } version;
	bool system_emulation;
	struct { int smp_vcpus, max_vcpus; } system;
} qemu_info_t;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
typedef void (*on_execution)(unsigned int cpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
		void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, on_execution,
		enum qemu_plugin_cb_flags, void *);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, on_execution,
		enum qemu_plugin_cb_flags, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *, void *, size_t);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 4;

#define KERNEL 0xffffffff80000000ull /* where x86-64 has the kernel's text */
#define SLOT_BITS 18
#define SLOTS (1u << SLOT_BITS)
#define CPUS 16 /* most that a deterministic board has */
#define LINE 1000 /* LAVA looks for a pattern in the last 4000 characters */

struct block {
	uint64_t address;
	uint32_t instructions;
	bool used;
	uint64_t executed[CPUS];
};

static struct block *blocks;
static unsigned int used, cpus;
static bool counting;
static const uint8_t marker[] = { 0x0f, 0x1f, 0x84, 0x00, 'v', 'l', 'g' }; /* nopl ...(%rax,%rax) */
enum { BEGIN = 1, END = 2 }; /* the operand's last byte */

static void executed(unsigned int cpu, void *block)
{
	if (counting)
		((struct block *)block)->executed[cpu]++;
}

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

static void write_out(void)
{
	uint64_t checksum = 0xcbf29ce484222325ull;
	unsigned int written = 0;
	char line[LINE + 1] = "";
	size_t length = 0;

	print("@vlag:profile begin %s %u\n", VERSION, cpus);
	for (struct block *b = blocks; b <= blocks + SLOTS; b++) {
		char word[32 + 21 * CPUS];
		size_t n = 0;
		bool any = false;

		if (b < blocks + SLOTS) {
			if (!b->used)
				continue;
			n = sprintf(word, "%" PRIx64 ":%u", b->address, b->instructions);
			for (unsigned int cpu = 0; cpu < cpus; cpu++) {
				n += sprintf(word + n, "%c%" PRIu64, cpu ? ',' : ':', b->executed[cpu]);
				any |= b->executed[cpu];
			}
			if (!any)
				continue;
			written++;
		}
		if (length && (!n || length + 1 + n > LINE)) {
			print("@vlag:counts %s\n", line);
			checksum = hash(hash(checksum, line), "\n");
			length = 0;
		}
		if (n)
			length += sprintf(line + length, "%s%s", length ? " " : "", word);
	}
	print("@vlag:profile end %u %016" PRIx64 "\n", written, checksum);
}

static void marked(unsigned int cpu, void *which)
{
	(void)cpu;
	if ((uintptr_t)which == BEGIN) {
		for (struct block *b = blocks; b < blocks + SLOTS; b++)
			memset(b->executed, 0, sizeof(b->executed));
		counting = true;
	} else if (counting) {
		counting = false;
		write_out();
	}
}

static struct block *block_of(uint64_t address, uint32_t instructions)
{
	uint64_t key = address ^ (uint64_t)instructions << 40;
	uint32_t slot = key * 0x9e3779b97f4a7c15ull >> (64 - SLOT_BITS);

	while (blocks[slot].used &&
	       (blocks[slot].address != address || blocks[slot].instructions != instructions))
		slot = (slot + 1) % SLOTS;
	if (!blocks[slot].used) {
		if (++used == SLOTS) {
			fprintf(stderr, "profile: the guest has more than %u blocks\n", SLOTS);
			abort();
		}
		blocks[slot].used = true;
		blocks[slot].address = address;
		blocks[slot].instructions = instructions;
	}
	return &blocks[slot];
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint32_t instructions = qemu_plugin_tb_n_insns(tb);
	uint64_t address = qemu_plugin_tb_vaddr(tb);

	(void)id;
	if (address < KERNEL) {
		for (uint32_t i = 0; i < instructions; i++) {
			struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
			uint8_t code[sizeof(marker) + 1];

			if (qemu_plugin_insn_data(insn, code, sizeof(code)) == sizeof(code) &&
			    !memcmp(code, marker, sizeof(marker)))
				qemu_plugin_register_vcpu_insn_exec_cb(insn, marked,
					QEMU_PLUGIN_CB_NO_REGS,
					(void *)(uintptr_t)code[sizeof(marker)]);
		}
		address = 0;
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS,
		block_of(address, instructions));
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	if (!info->system_emulation || strcmp(info->target_name, "x86_64")) {
		fprintf(stderr, "profile: only x86_64 guests are counted\n");
		return 1;
	}
	if (argc != 1 || strcmp(argv[0], "version=" VERSION)) {
		fprintf(stderr, "profile: this is version %s, asked for is %s\n", VERSION,
			argc ? argv[0] : "none");
		return 1;
	}
	cpus = info->system.smp_vcpus;
	if (cpus > CPUS) {
		fprintf(stderr, "profile: the board has more than %d CPUs\n", CPUS);
		return 1;
	}
	blocks = calloc(SLOTS, sizeof(*blocks));
	if (!blocks) {
		fprintf(stderr, "profile: no memory\n");
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
