/*
 * Model caches while an emulator's guest runs: a plugin of QEMU.
 *
 * Each CPU has a first-level cache of instructions, one of data, and a second-level cache that
 * holds all that these hold; all CPUs share a third one.  A directory knows which CPUs have a line
 * of data and in which state of MESI: a store takes the line from the others, a load from a CPU
 * that has changed it makes both share it.  Lines are of 64 bytes, by physical address; the one
 * that was used least recently leaves first.
 *
 * It is a model: no prefetching, no store buffer, no speculation, no TLB, no bandwidth, one socket.
 * The CPUs take turns on one thread, and a line can go from one to another once a turn at most:
 * where CPUs really contend at one time, it goes more often.
 *
 * It begins and ends with the marker of profile.c, with empty caches, and the guest's clock counts
 * its instructions: what the guest prints stays the same to the last byte.  At the end it writes
 *
 *   @vlag:caches begin VERSION 1
 *   @vlag:cached PART ...
 *   @vlag:caches end PARTS CHECKSUM
 *
 * All PARTs together are packed words (packed.h), with a dot between the fields of one; numbers
 * are hexadecimal.
 *
 *   gLEVEL.BYTES.WAYS          a cache: 0 of instructions, 1 of data, 2 of a CPU, 3 of all
 *   uTURNS.CPUS                how often another CPU went on, and how many have run
 *   fADDRESS.COUNT...          what 16 bytes of code did, at ADDRESS, 0 for all of user space; the
 *                              COUNTs are in the order of `enum count`
 *   bADDRESS.DATA.TAKEN.MADE   how often code at ADDRESS had to take the 8 bytes at DATA from
 *                              another CPU that had changed them, or had to make others give up
 *                              their copies
 *   qADDRESS.BYTES             a run queue, and what it holds at the end
 *   tADDRESS.BYTES             a task, likewise
 *   xCOUNT                     times that are in no word "b", beyond MOST of these
 *
 * CHECKSUM is that of profile.c.
 */
/* A part of the key of every run whose caches are modelled: raise it with what is counted. */
#define VERSION "1"

#define NAME "caches"
#define WORD "cached"
#include "cpu.h"
#include "lines.h"
#include "plugin.h"
#include "guest.h"
#include "packed.h"

#define LINE_BITS 6
#define GRAIN 4 /* bits of code addresses that are one: functions begin at multiples of 16 */
#define MOST_CPUS 64 /* of a directory's masks */
#define PAGES (1u << 20) /* of 64 lines, that a directory has: 4 GiB */
#define SITES (1u << 18)
#define MOST (1u << 18) /* pairs of code and data that are kept */
#define TASKS 128
#define BLOCK_LINES 8 /* of a translation block, from its begin on */

/* Bytes and ways: those of a server's core of the last years, with a smaller share of the third
 * level, as virtual boards have few CPUs. */
static struct geometry { unsigned int bytes, ways; } geometry[] = {
	{ 32 << 10, 8 }, { 32 << 10, 8 }, { 1 << 20, 16 }, { 8 << 20, 16 },
};

enum count {
	INSTRUCTIONS, ACCESSES,
	I1_MISSES, I2_MISSES, I3_MISSES, /* of fetches: first, second, third level */
	D1_MISSES, D2_MISSES, D3_MISSES, /* of data, but those that another CPU's cache answers */
	TAKEN, /* another CPU had changed the line */
	MADE, /* others had to give up their copies */
	COUNTS
};

struct site { uint64_t address, counts[COUNTS]; };
struct bounce { uint64_t code, data, taken, made; };
struct block {
	struct site *site;
	uint32_t instructions, used;
	uint64_t lines[BLOCK_LINES];
};

/* Of each set the lines in the order of their use, the latest first; 0: none. */
struct cache { unsigned int sets, ways; uint64_t *lines; };
#define VALID (1ull << 63)
#define CODE (1ull << 62) /* by the host's address: another space than the guest's */
#define OWNED (1ull << 61) /* no other CPU has it: exclusive or modified */
#define DIRTY (1ull << 60) /* modified */
#define FLAGS (OWNED | DIRTY)

struct holders { uint64_t cpus; uint8_t owner; bool owned, dirty; };

static struct private { struct cache code, data, second; bool used; } cpus[MOST_CPUS];
static struct cache shared;
static struct holders *directory[PAGES];
static struct site *sites, user;
static unsigned int sites_used;
static struct bounce *bounces;
static unsigned int bounces_used;
static uint64_t left_out, turns;
static unsigned int last_cpu, guest_cpus;
static bool on;
/* What the command line says: two functions, less KERNEL, and two sizes. */
enum { SWITCH, ENQUEUE, QUEUE_BYTES, TASK_BYTES, PLACES };
static uint64_t places[PLACES];
static uint64_t queues[MOST_CPUS], tasks[TASKS];
static unsigned int queues_used, tasks_used;

static void *zeroed(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	if (!memory)
		no_memory();
	return memory;
}

/* Caches. */

static void make(struct cache *cache, const struct geometry *of)
{
	cache->ways = of->ways;
	cache->sets = of->bytes >> LINE_BITS;
	cache->sets /= of->ways;
	if (cache->lines)
		memset(cache->lines, 0, (size_t)cache->sets * cache->ways * sizeof(uint64_t));
	else
		cache->lines = zeroed((size_t)cache->sets * cache->ways, sizeof(uint64_t));
}

static uint64_t *set_of(const struct cache *cache, uint64_t line)
{
	return cache->lines + (size_t)(line & (cache->sets - 1)) * cache->ways;
}

/* Return where a line is; NULL if it is not there. */
static uint64_t *where(const struct cache *cache, uint64_t line)
{
	uint64_t *set = set_of(cache, line);

	for (unsigned int i = 0; i < cache->ways && set[i]; i++)
		if ((set[i] & ~FLAGS) == (line | VALID))
			return set + i;
	return NULL;
}

/* The same for one who uses it: it is the first of its set from then on. */
static uint64_t *find(const struct cache *cache, uint64_t line)
{
	uint64_t *set = set_of(cache, line), *at = where(cache, line), found;

	if (at && at != set) {
		found = *at;
		memmove(set + 1, set, (size_t)(at - set) * sizeof(*set));
		set[0] = found;
	}
	return at ? set : NULL;
}

/* Put a line that is not there first; return the one that leaves, 0 if none does. */
static uint64_t insert(const struct cache *cache, uint64_t line)
{
	uint64_t *set = set_of(cache, line & ~FLAGS), last = set[cache->ways - 1];

	memmove(set + 1, set, (cache->ways - 1) * sizeof(*set));
	set[0] = line | VALID;
	return last;
}

static void drop(const struct cache *cache, uint64_t line)
{
	uint64_t *end = set_of(cache, line) + cache->ways, *at = where(cache, line);

	if (at) {
		memmove(at, at + 1, (size_t)(end - at - 1) * sizeof(*at));
		end[-1] = 0;
	}
}

static struct holders *holders_of(uint64_t line)
{
	struct holders **page = &directory[line >> LINE_BITS];

	if (!*page)
		*page = zeroed(1 << LINE_BITS, sizeof(**page));
	return *page + (line & ((1 << LINE_BITS) - 1));
}

/* A line leaves the second level, and with it the first. */
static void evict(unsigned int cpu, uint64_t line)
{
	struct holders *holders;

	if (line & CODE) {
		drop(&cpus[cpu].code, line);
		return;
	}
	drop(&cpus[cpu].data, line);
	holders = holders_of(line);
	holders->cpus &= ~(1ull << cpu);
	if (holders->owned && holders->owner == cpu)
		holders->owned = holders->dirty = false;
}

static void into_second(unsigned int cpu, uint64_t line)
{
	uint64_t leaves = insert(&cpus[cpu].second, line);

	if (leaves)
		evict(cpu, leaves & ~(FLAGS | VALID));
}

/* Return whether the third level, or else memory, which fills it, has a line. */
static bool in_shared(uint64_t line)
{
	if (find(&shared, line))
		return true;
	insert(&shared, line);
	return false;
}

static void bounce(uint64_t code, uint64_t data, bool taken)
{
	uint64_t key = (code * 0x9e3779b97f4a7c15ull ^ data) * 0xff51afd7ed558ccdull;
	uint32_t slot = (key >> 32) % (2 * MOST);
	struct bounce *found;

	while ((found = &bounces[slot])->code && (found->code != code || found->data != data))
		slot = (slot + 1) % (2 * MOST);
	if (!found->code) {
		if (bounces_used == MOST) {
			left_out++;
			return;
		}
		bounces_used++;
		found->code = code;
		found->data = data;
	}
	if (taken)
		found->taken++;
	else
		found->made++;
}

/* Take a line from all others; return whether anybody had it. */
static bool take(unsigned int cpu, uint64_t line, struct holders *holders)
{
	uint64_t others = holders->cpus & ~(1ull << cpu);
	bool any = others;

	for (; others; others &= others - 1) {
		struct private *other = &cpus[__builtin_ctzll(others)];

		drop(&other->data, line);
		drop(&other->second, line);
	}
	holders->cpus = 1ull << cpu;
	holders->owned = true;
	holders->owner = cpu;
	return any;
}

/* Another CPU's line is shared from now on. */
static void share(uint64_t line, struct holders *holders)
{
	uint64_t *first;

	if (!holders->owned)
		return;
	first = where(&cpus[holders->owner].data, line);
	if (first)
		*first &= ~FLAGS;
	holders->owned = holders->dirty = false;
}

/* Bring a line of data from beyond the second level; return whether it was taken from another CPU. */
static bool fetch(unsigned int cpu, uint64_t line, struct holders *holders, struct site *site,
	uint64_t address)
{
	bool others = holders->cpus, taken = holders->owned && holders->dirty;

	site->counts[D2_MISSES]++;
	if (taken) {
		site->counts[TAKEN]++;
		if (site != &user)
			bounce(site->address, address, true);
		in_shared(line);
	} else if (!in_shared(line) && !others) {
		site->counts[D3_MISSES]++;
	}
	share(line, holders);
	holders->cpus |= 1ull << cpu;
	if (!others) {
		holders->owned = true;
		holders->owner = cpu;
	}
	into_second(cpu, line);
	return taken;
}

static void access_line(unsigned int cpu, uint64_t line, bool store, struct site *site,
	uint64_t address)
{
	uint64_t *first = find(&cpus[cpu].data, line);
	struct holders *holders;
	bool taken = false;

	site->counts[ACCESSES]++;
	if (first && (!store || (*first & DIRTY)))
		return;
	holders = holders_of(line);
	if (!first) {
		site->counts[D1_MISSES]++;
		if (!find(&cpus[cpu].second, line))
			taken = fetch(cpu, line, holders, site, address);
		/* What leaves the first level stays in the second. */
		insert(&cpus[cpu].data, line | (holders->owned ? OWNED : 0) |
			(holders->owned && holders->dirty ? DIRTY : 0));
		first = set_of(&cpus[cpu].data, line);
	}
	if (!store)
		return;
	if (!(*first & OWNED) && take(cpu, line, holders) && !taken) {
		site->counts[MADE]++;
		if (site != &user)
			bounce(site->address, address, false);
	}
	holders->dirty = true;
	*first |= OWNED | DIRTY;
}

/* What QEMU calls. */

static unsigned int turn(void)
{
	unsigned int cpu = cpu_now() % MOST_CPUS;

	if (cpu != last_cpu) {
		turns++;
		last_cpu = cpu;
	}
	return cpu;
}

static void accessed(unsigned int unused, uint32_t how, uint64_t address, void *site)
{
	struct qemu_plugin_hwaddr *at;
	uint64_t line;

	(void)unused;
	if (!on)
		return;
	at = qemu_plugin_get_hwaddr(how, address);
	if (!at || qemu_plugin_hwaddr_is_io(at))
		return;
	line = qemu_plugin_hwaddr_phys_addr(at) >> LINE_BITS;
	if (line >> LINE_BITS >= PAGES)
		return;
	access_line(turn(), line, qemu_plugin_mem_is_store(how), site, address & ~7ull);
}

static void executed(unsigned int unused, void *data)
{
	struct block *block = data;
	struct site *site = block->site;
	struct private *own;
	unsigned int cpu;

	(void)unused;
	if (!on)
		return;
	cpu = turn();
	own = &cpus[cpu];
	own->used = true;
	site->counts[INSTRUCTIONS] += block->instructions;
	for (unsigned int i = 0; i < block->used; i++) {
		uint64_t line = block->lines[i];

		if (find(&own->code, line))
			continue;
		site->counts[I1_MISSES]++;
		insert(&own->code, line);
		if (find(&own->second, line))
			continue;
		site->counts[I2_MISSES]++;
		if (!in_shared(line))
			site->counts[I3_MISSES]++;
		into_second(cpu, line);
	}
}

static void know(uint64_t *all, unsigned int *used, unsigned int most, uint64_t address)
{
	unsigned int i;

	for (i = 0; i < *used; i++)
		if (all[i] == address)
			return;
	if (address && *used < most)
		all[(*used)++] = address;
}

static void switched(unsigned int unused, void *data)
{
	(void)unused;
	(void)data;
	know(tasks, &tasks_used, TASKS, operand(1));
}

static void queued(unsigned int unused, void *data)
{
	(void)unused;
	(void)data;
	know(queues, &queues_used, MOST_CPUS, operand(0));
}

static void write_object(char kind, uint64_t address, uint64_t size)
{
	char *text;
	size_t length;

	if (!read_bytes(address, size))
		return;
	text = zeroed(2 * size + 32, 1);
	length = sprintf(text, "%c%" PRIx64 ".", kind, address);
	for (size_t i = 0; i < size; i++)
		length += sprintf(text + length, "%02x", bytes->data[i]);
	keep(text, length);
	free(text);
}

static void write_site(const struct site *site)
{
	char text[32 + 17 * COUNTS];
	size_t length = sprintf(text, "f%" PRIx64, site->address);

	for (unsigned int i = 0; i < COUNTS; i++)
		length += sprintf(text + length, ".%" PRIx64, site->counts[i]);
	keep(text, length);
}

static void write_all(void)
{
	char text[128];
	unsigned int used = 0;

	for (unsigned int i = 0; i < sizeof(geometry) / sizeof(*geometry); i++)
		keep(text, sprintf(text, "g%x.%x.%x", i, geometry[i].bytes, geometry[i].ways));
	for (unsigned int i = 0; i < MOST_CPUS; i++)
		used += cpus[i].used;
	keep(text, sprintf(text, "u%" PRIx64 ".%x", turns, used));
	write_site(&user);
	for (struct site *site = sites; site < sites + SITES; site++)
		if (site->counts[INSTRUCTIONS] || site->counts[ACCESSES])
			write_site(site);
	for (struct bounce *b = bounces; b < bounces + 2 * MOST; b++)
		if (b->code)
			keep(text, sprintf(text, "b%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64,
				b->code, b->data, b->taken, b->made));
	for (unsigned int i = 0; i < queues_used; i++)
		write_object('q', queues[i], places[QUEUE_BYTES]);
	for (unsigned int i = 0; i < tasks_used; i++)
		write_object('t', tasks[i], places[TASK_BYTES]);
	if (left_out)
		keep(text, sprintf(text, "x%" PRIx64, left_out));
	write_packed(VERSION);
}

static void begin(void)
{
	for (unsigned int i = 0; i < MOST_CPUS; i++) {
		struct private *own = &cpus[i];

		own->used = false;
		if (i >= guest_cpus)
			break;
		make(&own->code, &geometry[0]);
		make(&own->data, &geometry[1]);
		make(&own->second, &geometry[2]);
	}
	make(&shared, &geometry[3]);
	for (unsigned int i = 0; i < PAGES; i++)
		if (directory[i])
			memset(directory[i], 0, sizeof(**directory) << LINE_BITS);
	for (struct site *site = sites; site < sites + SITES; site++)
		memset(site->counts, 0, sizeof(site->counts));
	memset(user.counts, 0, sizeof(user.counts));
	memset(bounces, 0, 2 * MOST * sizeof(*bounces));
	bounces_used = tasks_used = 0;
	left_out = turns = 0;
	kept.length = 0;
	last_cpu = cpu_now() % MOST_CPUS;
	on = true;
}

static void marked(unsigned int unused, void *which)
{
	(void)unused;
	if ((uintptr_t)which == BEGIN) {
		begin();
	} else if (on) {
		on = false;
		write_all();
	}
}

static struct site *site_of(uint64_t address)
{
	uint64_t key = address >> GRAIN;
	uint32_t slot = (key * 0x9e3779b97f4a7c15ull >> 32) % SITES;

	while (sites[slot].address && sites[slot].address != key << GRAIN)
		slot = (slot + 1) % SITES;
	if (!sites[slot].address) {
		if (++sites_used == SITES) {
			fprintf(stderr, NAME ": the guest's kernel has more code than is kept\n");
			abort();
		}
		sites[slot].address = key << GRAIN;
	}
	return &sites[slot];
}

static void add_line(struct block *block, const struct qemu_plugin_insn *insn)
{
	uint64_t line = (uintptr_t)qemu_plugin_insn_haddr(insn) >> LINE_BITS | CODE;

	if (line == CODE || block->used == BLOCK_LINES ||
	    (block->used && block->lines[block->used - 1] == line))
		return;
	block->lines[block->used++] = line;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	bool kernel = qemu_plugin_tb_vaddr(tb) >= KERNEL;
	struct block *block = zeroed(1, sizeof(*block)); /* QEMU may keep the block until it ends */

	(void)id;
	block->instructions = qemu_plugin_tb_n_insns(tb);
	block->site = kernel ? site_of(qemu_plugin_tb_vaddr(tb)) : &user;
	for (size_t i = 0; i < block->instructions; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		uint8_t code[sizeof(marker) + 1];

		add_line(block, insn);
		qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS,
			QEMU_PLUGIN_MEM_R | QEMU_PLUGIN_MEM_W, kernel ? site_of(address) : &user);
		if (kernel && address == KERNEL + places[SWITCH])
			qemu_plugin_register_vcpu_insn_exec_cb(insn, switched, QEMU_PLUGIN_CB_R_REGS, NULL);
		else if (kernel && address == KERNEL + places[ENQUEUE])
			qemu_plugin_register_vcpu_insn_exec_cb(insn, queued, QEMU_PLUGIN_CB_R_REGS, NULL);
		else if (!kernel && qemu_plugin_insn_data(insn, code, sizeof(code)) == sizeof(code) &&
			 !memcmp(code, marker, sizeof(marker)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_R_REGS,
				(void *)(uintptr_t)code[sizeof(marker)]);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, block);
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	if (!info->system_emulation || strcmp(info->target_name, "x86_64") ||
	    info->system.max_vcpus > MOST_CPUS) {
		fprintf(stderr, NAME ": only x86_64 guests of up to %u CPUs are modelled\n", MOST_CPUS);
		return 1;
	}
	if (!read_places(argc, argv, VERSION, places, PLACES, 0))
		return 1;
	guest_cpus = info->system.max_vcpus;
	sites = zeroed(SITES, sizeof(*sites));
	bounces = zeroed(2 * MOST, sizeof(*bounces));
	bytes = g_byte_array_new();
	qemu_plugin_register_vcpu_init_cb(id, began);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
