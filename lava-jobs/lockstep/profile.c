/*
 * Count what the guest of an emulator executes, by translation block: a plugin of QEMU.
 *
 * Counting begins and ends with a marker: an instruction that does nothing, with an operand
 * that no compiler makes, which the board's runner executes.  At the end the counts are
 * written to standard output, where the guest's serial line goes too, as lines that begin with
 * "@vlag:".  The guest's clock counts its instructions, so none of this costs guest time: what
 * the guest prints stays the same to the last byte.
 *
 *   @vlag:profile begin VERSION 1
 *   @vlag:counts ADDRESS:INSTRUCTIONS:EXECUTED ... DEPTH+ADDRESS:CALLS:INSTRUCTIONS ...
 *   @vlag:profile end WORDS CHECKSUM
 *
 * The first kind of word is a block.  ADDRESS is its own in hexadecimal digits, 0 for all of
 * user space; INSTRUCTIONS the number it has; EXECUTED how often it was entered.
 *
 * The second kind is a node of the tree of calls: a function by the ADDRESS at which it was
 * entered, below the function that called it, which is the last node before it whose DEPTH is
 * one less.  CALLS is how often it was called from there, INSTRUCTIONS what it has executed so
 * without what it called.  The node of depth 0 is what no caller is known of; so are functions
 * at depth 1 that were called in more ways than are kept (NODES).
 *
 * CHECKSUM is the FNV-1a hash, of 64 bits, of all that stands behind "@vlag:counts " with one
 * line end a line.
 *
 * There is no count by CPU: as all CPUs run on one thread, QEMU tells a callback the CPU that
 * translated the block, and not the one that runs it.
 *
 * A block that an exception ends early counts as a whole.  QEMU's inline counters, which are
 * faster than a callback, stop the guest under -icount.
 */
/* A part of the key of every run that is profiled: raise it with what is counted. */
#define VERSION "2"

#include <stdbool.h>
#include <stdlib.h>

#define WORD "counts"
#include "lines.h"
#include "plugin.h"

#define SLOT_BITS 18
#define SLOTS (1u << SLOT_BITS)

struct block {
	uint64_t address;
	uint32_t instructions;
	bool used;
	enum flow { ON, CALL, JUMP, RETURN } last; /* what its last instruction does */
	uint64_t target; /* of a jump; 0: what a register says */
	uint64_t executed;
};

static struct block *blocks;
static unsigned int used;
static bool counting;

/*
 * The tree of calls.  A call writes the address to return to onto the stack, and a return reads
 * it from there: where in memory they do so says on which stack which frame begins or ends,
 * whatever ran in between.  So a switch of tasks, an interrupt, and the turns that the CPUs take
 * on QEMU's one thread need no care; only what is executed behind one of them, until the next
 * call or return, counts for the function that ran before.
 *
 * A jump to a function, in place of a call that would be the last thing its caller does, takes
 * the caller's place in the tree.
 */
#define NODES (1u << 18)
#define ROOTS (1u << 16) /* of them kept for functions without a known caller */
#define STACK_BITS 14 /* of the addresses within one stack of the kernel, 16 KiB */
#define STACKS 4096
#define PROBES 16
#define FRAMES 128 /* of a stack; what lies deeper counts for the last one */

struct node {
	uint64_t address, calls, instructions;
	uint32_t parent, child, next; /* 0: none */
};

struct stack {
	uint64_t id;
	unsigned int depth;
	struct frame {
		uint64_t at; /* where the address to return to is */
		uint32_t node, caller;
	} frames[FRAMES];
};

struct site { /* of a call */
	uint64_t target; /* 0: what a register says */
	uint32_t caller, node; /* of the last call */
};

static struct node *nodes; /* 0 is the root */
static struct stack *stacks, *stack; /* the last one that was used */
static uint32_t nodes_used = 1, now; /* the node that is executed */
static uint32_t roots[2 * ROOTS], root_last; /* children of the root, by address */
static bool unnamed; /* the last frame is of an indirect call before its first block */
static const struct block *jumped;

static void full(const char *what, unsigned int most)
{
	fprintf(stderr, "profile: the guest has more than %u %s\n", most, what);
	abort();
}

static void *zeroed(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	if (!memory) {
		fprintf(stderr, "profile: no memory\n");
		abort();
	}
	return memory;
}

static uint32_t new_node(uint32_t parent, uint64_t address)
{
	nodes[nodes_used] = (struct node){ .address = address, .parent = parent };
	return nodes_used++;
}

static uint32_t root_of(uint64_t address)
{
	uint32_t slot = (address * 0x9e3779b97f4a7c15ull >> 32) % (2 * ROOTS);

	while (roots[slot] && nodes[roots[slot]].address != address)
		slot = (slot + 1) % (2 * ROOTS);
	if (!roots[slot]) {
		if (nodes_used == NODES)
			return 0;
		roots[slot] = new_node(0, address);
		*(root_last ? &nodes[root_last].next : &nodes[0].child) = roots[slot];
		root_last = roots[slot];
	}
	return roots[slot];
}

/* When most nodes are used, a new path is one of a function without a known caller: what each
 * function has executed stays exact. */
static uint32_t child_of(uint32_t parent, uint64_t address)
{
	uint32_t *link = &nodes[parent].child;

	if (!parent)
		return root_of(address);
	while (*link && nodes[*link].address != address)
		link = &nodes[*link].next;
	if (*link)
		return *link;
	if (nodes_used >= NODES - ROOTS)
		return root_of(address);
	return *link = new_node(parent, address);
}

/* Go to the stack that an address lies on, and end the frames below it. */
static struct frame *go_to(uint64_t at)
{
	uint64_t id = at >> STACK_BITS;
	unsigned int slot = (id * 0x9e3779b97f4a7c15ull >> 32) % STACKS, probe;
	struct frame *ended = NULL;

	if (!stack || stack->id != id) {
		for (probe = 0; probe < PROBES; probe++) {
			stack = &stacks[(slot + probe) % STACKS];
			if (!stack->id || stack->id == id)
				break;
		}
		if (probe == PROBES) { /* too many: another one is forgotten */
			stack = &stacks[slot];
			stack->depth = 0;
		}
		stack->id = id;
	}
	while (stack->depth && stack->frames[stack->depth - 1].at <= at)
		ended = &stack->frames[--stack->depth];
	if (stack->depth)
		now = stack->frames[stack->depth - 1].node;
	jumped = NULL;
	unnamed = false;
	return ended && ended->at == at ? ended : NULL;
}

static void called(unsigned int cpu, uint32_t how, uint64_t at, void *data)
{
	struct site *site = data;
	struct frame *frame;

	(void)cpu;
	(void)how;
	if (!counting)
		return;
	go_to(at);
	if (stack->depth == FRAMES)
		return;
	frame = &stack->frames[stack->depth++];
	*frame = (struct frame){ .at = at, .caller = now, .node = now };
	unnamed = !site->target;
	if (unnamed)
		return;
	if (!site->node || site->caller != now) {
		site->caller = now;
		site->node = child_of(now, site->target);
	}
	now = frame->node = site->node;
	nodes[now].calls++;
}

static void returned(unsigned int cpu, uint32_t how, uint64_t at, void *data)
{
	const struct frame *ended;

	(void)cpu;
	(void)how;
	(void)data;
	if (!counting)
		return;
	ended = go_to(at);
	if (!stack->depth)
		now = ended ? ended->caller : 0;
}

/* Name what an indirect call or a jump has led to, by the first block that runs there. */
static void entered(uint64_t address)
{
	now = child_of(unnamed ? now : nodes[now].parent, address);
	nodes[now].calls++;
	if (stack && stack->depth)
		stack->frames[stack->depth - 1].node = now;
	unnamed = false;
}

static void executed_by_user(unsigned int cpu, void *block)
{
	(void)cpu;
	if (counting) {
		((struct block *)block)->executed++;
		now = 0;
	}
}

static void executed(unsigned int cpu, void *block)
{
	struct block *b = block;

	(void)cpu;
	if (!counting)
		return;
	b->executed++;
	if (unnamed || (jumped && (!jumped->target || jumped->target == b->address) &&
			nodes[now].address != b->address))
		entered(b->address);
	jumped = b->last == JUMP ? b : NULL;
	nodes[now].instructions += b->instructions;
}

static void put_block(const struct block *b)
{
	char word[64];

	sprintf(word, "%" PRIx64 ":%u:%" PRIu64, b->address, b->instructions, b->executed);
	put_word(word);
}

static void put_node(uint32_t node, unsigned int depth)
{
	const struct node *n = &nodes[node];
	char word[96];

	sprintf(word, "%u+%" PRIx64 ":%" PRIu64 ":%" PRIu64, depth, n->address, n->calls,
		n->instructions);
	put_word(word);
	for (uint32_t child = n->child; child; child = nodes[child].next)
		put_node(child, depth + 1);
}

static void write_out(void)
{
	begin_output();
	print("@vlag:profile begin %s 1\n", VERSION);
	for (struct block *b = blocks; b < blocks + SLOTS; b++)
		if (b->executed)
			put_block(b);
	put_node(0, 0);
	end_line();
	print("@vlag:profile end %u %016" PRIx64 "\n", output.words, output.checksum);
}

static void marked(unsigned int cpu, void *which)
{
	(void)cpu;
	if ((uintptr_t)which == BEGIN) {
		for (struct block *b = blocks; b < blocks + SLOTS; b++)
			b->executed = 0;
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
		if (++used == SLOTS)
			full("blocks", SLOTS);
		blocks[slot].used = true;
		blocks[slot].address = address;
		blocks[slot].instructions = instructions;
	}
	return &blocks[slot];
}

static void translated_user(struct qemu_plugin_tb *tb, uint32_t instructions)
{
	for (uint32_t i = 0; i < instructions; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint8_t code[sizeof(marker) + 1];

		if (qemu_plugin_insn_data(insn, code, sizeof(code)) == sizeof(code) &&
		    !memcmp(code, marker, sizeof(marker)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_NO_REGS,
				(void *)(uintptr_t)code[sizeof(marker)]);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed_by_user, QEMU_PLUGIN_CB_NO_REGS,
		block_of(0, instructions));
}

/* Return what an instruction of x86-64 does, and where a direct call or jump leads. */
static enum flow flow_of(const struct qemu_plugin_insn *insn, uint64_t *target)
{
	uint8_t code[15 + 1] = { 0 };
	size_t size = qemu_plugin_insn_data(insn, code, 15), i = 0;
	int32_t distance;

	*target = 0;
	while (i < size && (code[i] == 0x66 || code[i] == 0x2e || code[i] == 0x3e ||
			    code[i] == 0xf2 || code[i] == 0xf3 || (code[i] & 0xf0) == 0x40))
		i++; /* prefixes */
	switch (code[i]) {
	case 0xe8:
	case 0xe9:
		memcpy(&distance, code + size - sizeof(distance), sizeof(distance));
		*target = qemu_plugin_insn_vaddr(insn) + size + distance;
		if (code[i] == 0xe8)
			return CALL;
		return *target % 16 ? ON : JUMP; /* functions are aligned, few other places are */
	case 0xff:
		switch (code[i + 1] >> 3 & 7) {
		case 2: return CALL;
		case 4: return JUMP;
		}
		return ON;
	case 0xc2:
	case 0xc3:
		return RETURN;
	}
	return ON;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint32_t instructions = qemu_plugin_tb_n_insns(tb);
	uint64_t address = qemu_plugin_tb_vaddr(tb), target;
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, instructions - 1);
	struct block *block;
	struct site *site;

	(void)id;
	if (address < KERNEL) {
		translated_user(tb, instructions);
		return;
	}
	block = block_of(address, instructions);
	block->last = flow_of(last, &target);
	block->target = target;
	if (block->last == CALL) {
		site = zeroed(1, sizeof(*site));
		site->target = target;
		qemu_plugin_register_vcpu_mem_cb(last, called, QEMU_PLUGIN_CB_NO_REGS,
			QEMU_PLUGIN_MEM_W, site);
	} else if (block->last == RETURN) {
		qemu_plugin_register_vcpu_mem_cb(last, returned, QEMU_PLUGIN_CB_NO_REGS,
			QEMU_PLUGIN_MEM_R, NULL);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, block);
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
	blocks = zeroed(SLOTS, sizeof(*blocks));
	nodes = zeroed(NODES, sizeof(*nodes));
	stacks = zeroed(STACKS, sizeof(*stacks));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
