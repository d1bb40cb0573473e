/*
 * Write down what the scheduler of an emulator's guest decides: a plugin of QEMU.
 *
 * It has a callback on the first instruction of a few functions of the kernel, and reads their
 * operands, and the fields of what these point to, from the guest's registers and memory.  The
 * guest's clock counts its instructions, so none of this costs guest time: what the guest prints
 * stays the same to the last byte.
 *
 * It begins and ends with the marker of profile.c.  What is written down is kept until the end,
 * and then written to standard output:
 *
 *   @vlag:decisions begin VERSION 1
 *   @vlag:decided PART ...
 *   @vlag:decisions end PARTS CHECKSUM
 *
 * All PARTs together are packed words (packed.h).  All numbers are hexadecimal but those of CPUs.
 * A word is KIND, CPU, and fields with a dot before each.  CPU
 * is that of the run queue; TIME that queue's clock in ns, 0 where nothing has named the queue yet;
 * a TASK is a number in the order in which they are first seen.
 *
 *   t TASK.PID.COMM            a task that is first seen, or has another name; COMM in bytes
 *   s CPU.TIME.PREV.NEXT.STATE.STAYS
 *                              a switch; STATE of PREV is 0 if it can go on running; STAYS is 1 if
 *                              it sleeps and stays in its queue all the same (DELAY_DEQUEUE)
 *   e CPU.TIME.TASK.FLAGS.WAKER
 *                              a task is queued (E: of the real-time class); WAKER is the task
 *                              that has woken it, with an i if it did so in an interrupt, which
 *                              is not its doing; "-": nobody has, as where it is moved
 *   d CPU.TIME.TASK.FLAGS      a task leaves its queue (D: likewise)
 *   w CPU.TIME.TASK.CURRENT    may TASK, just woken, preempt CURRENT?
 *   r CPU.TIME                 CURRENT is to be rescheduled (l: lazily)
 *   i CPU.TIME                 a tick
 *   k CPU.TIME.ENTITY...       a queue is asked for the entity to run next; the first is the one
 *                              that runs, "-" if none; only where there are two or more; "=" is
 *                              for all of them, where they are as at the last look there
 *   n CPU.BEGIN.END            the kernel's own count of switches at the begin and at the end
 *   x COUNT.SWITCHES           words that are not kept beyond MOST, and switches among them
 *
 * An ENTITY is TASK,VRUNTIME,DEADLINE,SLICE,WEIGHT of a task, or of a group, whose TASK is g: as
 * the kernel has them, VRUNTIME and DEADLINE less the queue's own zero.  A task's SLICE and WEIGHT
 * are left out where they are those of its last ENTITY.  Behind TASK is a "!" where it runs and its
 * slice is protected (RUN_TO_PARITY), a "~" where it sleeps and has stayed in the queue.
 *
 * CHECKSUM is that of profile.c.
 */
/* A part of the key of every run that is written down: raise it with what is. */
#define VERSION "3"

#define NAME "decisions"
#define WORD "decided"
#include "cpu.h"
#include "lines.h"
#include "plugin.h"
#include "guest.h"
#include "packed.h"

#define TASKS (1u << 16)
#define COMM 16
#define MOST (1u << 20) /* words that are kept */
#define QUEUE 64 /* entities of a queue that are written */
#define DEPTH 64 /* of its tree */
#define ENTITY 512 /* bytes of an entity with all that is read of it */

/* What the command line says, in this order: where functions are, less KERNEL, and where fields
 * are; NONE for what this kernel does not have.  `vlag.kernel.fields` makes it. */
#define NONE 0xffffffffull
enum {
	SWITCH, ENQUEUE, ENQUEUE_RT, DEQUEUE, DEQUEUE_RT, CHECK, RESCHEDULE, RESCHEDULE_LAZY, TICK,
	PICK, WAKE, WAKE_NEW, INTERRUPT, INTERRUPT_END, FUNCTIONS
};
enum {
	TASK_CPU, TASK_STATE, TASK_PID, TASK_COMM, TASK_SE,
	SE_WEIGHT, SE_NODE, SE_DEADLINE, SE_VRUNTIME, SE_SLICE, SE_LAG, SE_PROTECTED, SE_ON_QUEUE,
	SE_DELAYED, SE_QUEUE,
	RQ_CPU, RQ_CLOCK, RQ_SWITCHES, RQ_CURRENT,
	CFS_CURRENT, CFS_ZERO, CFS_TREE,
	FIELDS
};

static uint64_t places[FUNCTIONS + FIELDS], *const functions = places, *const fields = places + FUNCTIONS;
static bool on;
static uint64_t running[CPUS]; /* by QEMU's number of a CPU: address of the task that runs there */
static bool interrupted[CPUS]; /* likewise */
static uint64_t queues[CPUS], switches[CPUS]; /* addresses of run queues; counts at the begin */
static unsigned int queues_used;
static size_t entity_size; /* what is read of one */
static struct task {
	uint64_t address, slice, weight; /* as last written */
	uint32_t pid;
	char comm[COMM];
	char waker[12]; /* as written; empty: nobody since it was queued last */
} tasks[TASKS + 1];
static char *looks[CPUS]; /* the last one at each queue */
static uint32_t tasks_used, slots[2 * TASKS]; /* number + 1 of the last task at an address */
static uint64_t words, left_out, switches_left_out;

/* Read of the guest. */

static uint64_t number_at(uint64_t address, unsigned int size)
{
	uint64_t value = 0;

	if (read_bytes(address, size))
		memcpy(&value, bytes->data, size);
	return value;
}

static uint64_t get(uint64_t object, unsigned int field, unsigned int size)
{
	return object && fields[field] != NONE ? number_at(object + fields[field], size) : 0;
}

/* Write. */

__attribute__((format(printf, 1, 2))) static void word(const char *format, ...)
{
	char text[LINE - 1];
	va_list values;
	int size;

	if (words >= MOST) {
		left_out++;
		switches_left_out += *format == 's';
		return;
	}
	va_start(values, format);
	size = vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	keep(text, size < (int)sizeof(text) ? (size_t)size : sizeof(text) - 1);
	words++;
}

static void name(uint32_t number, const struct task *task)
{
	char text[2 * COMM + 1];

	for (unsigned int i = 0; i < COMM; i++)
		sprintf(text + 2 * i, "%02x", (uint8_t)task->comm[i]);
	word("t%x.%x.%.*s", number, task->pid, (int)(2 * strnlen(task->comm, COMM)), text);
}

static uint32_t *slot_of(uint64_t address)
{
	uint32_t slot = (address * 0x9e3779b97f4a7c15ull >> 32) % (2 * TASKS);

	while (slots[slot] && tasks[slots[slot] - 1].address != address)
		slot = (slot + 1) % (2 * TASKS);
	return &slots[slot];
}

/* Return the number of a task; write its name where that is new. */
static uint32_t task_of(uint64_t address)
{
	uint32_t *slot = slot_of(address), number = *slot - 1;
	uint32_t pid = get(address, TASK_PID, 4);
	char comm[COMM] = { 0 };

	if (address && read_bytes(address + fields[TASK_COMM], COMM))
		memcpy(comm, bytes->data, COMM);
	comm[COMM - 1] = 0;
	/* A task that has ended leaves its address to another. */
	if (!*slot || tasks[number].pid != pid) {
		if (tasks_used == TASKS)
			return TASKS;
		number = tasks_used++;
		*slot = number + 1;
	} else if (!strncmp(tasks[number].comm, comm, COMM)) {
		return number;
	}
	tasks[number] = (struct task){ .address = address, .pid = pid };
	memcpy(tasks[number].comm, comm, COMM);
	name(number, &tasks[number]);
	return number;
}

/* The same of a task that is queued: it was looked at then. */
static uint32_t known_task(uint64_t address)
{
	uint32_t *slot = slot_of(address);

	return *slot ? *slot - 1 : task_of(address);
}

static unsigned int cpu_of(uint64_t queue)
{
	unsigned int cpu;

	for (cpu = 0; cpu < queues_used; cpu++)
		if (queues[cpu] == queue)
			return cpu;
	cpu = get(queue, RQ_CPU, 4) % CPUS;
	queues[cpu] = queue;
	if (cpu >= queues_used)
		queues_used = cpu + 1;
	return cpu;
}

static uint64_t time_of(unsigned int cpu)
{
	return get(queues[cpu], RQ_CLOCK, 8);
}

/* What is decided. */

static void switched(unsigned int cpu, void *data)
{
	uint64_t from, to;
	uint32_t before, after;
	unsigned int state, stays;

	(void)data;
	to = operand(1);
	running[cpu_now()] = to;
	if (!on)
		return;
	from = operand(0);
	cpu = get(from, TASK_CPU, 4) % CPUS;
	before = known_task(from);
	after = task_of(to);
	state = get(from, TASK_STATE, 4);
	stays = state && fields[SE_DELAYED] != NONE && get(from + fields[TASK_SE], SE_DELAYED, 1);
	word("s%u.%" PRIx64 ".%x.%x.%x.%x", cpu, time_of(cpu), before, after, state, stays);
}

static void wakes(unsigned int cpu, void *data)
{
	uint32_t task, by;

	(void)data;
	cpu = cpu_now();
	if (!on || !running[cpu])
		return;
	task = known_task(operand(0));
	by = known_task(running[cpu]);
	snprintf(tasks[task].waker, sizeof(tasks[task].waker), "%x%s", by,
		interrupted[cpu] ? "i" : "");
}

static void interrupt(unsigned int cpu, void *kind)
{
	(void)cpu;
	interrupted[cpu_now()] = (uintptr_t)kind == '+';
}

static void moved(unsigned int cpu, void *kind)
{
	uint64_t queue, flags;
	uint32_t task;

	if (!on)
		return;
	queue = operand(0);
	flags = operand(2);
	cpu = cpu_of(queue);
	task = task_of(operand(1));
	if ((char)(uintptr_t)kind == 'd' || (char)(uintptr_t)kind == 'D') {
		word("%c%u.%" PRIx64 ".%x.%x", (char)(uintptr_t)kind, cpu, time_of(cpu), task,
			(unsigned int)flags);
		return;
	}
	word("%c%u.%" PRIx64 ".%x.%x.%s", (char)(uintptr_t)kind, cpu, time_of(cpu), task,
		(unsigned int)flags, *tasks[task].waker ? tasks[task].waker : "-");
	*tasks[task].waker = 0;
}

static void checked(unsigned int cpu, void *data)
{
	uint64_t queue;
	uint32_t task, current;

	(void)data;
	if (!on)
		return;
	queue = operand(0);
	cpu = cpu_of(queue);
	task = known_task(operand(1));
	current = known_task(get(queue, RQ_CURRENT, 8));
	word("w%u.%" PRIx64 ".%x.%x", cpu, time_of(cpu), task, current);
}

static void of_queue(unsigned int cpu, void *kind)
{
	if (!on)
		return;
	cpu = cpu_of(operand(0));
	word("%c%u.%" PRIx64, (char)(uintptr_t)kind, cpu, time_of(cpu));
}

/* An entity, read at once: each read of memory walks the guest's page tables. */
struct entity { uint64_t address; uint8_t data[ENTITY]; };

static bool read_entity(struct entity *entity, uint64_t address)
{
	if (!read_bytes(address, entity_size))
		return false;
	memcpy(entity->data, bytes->data, entity_size);
	entity->address = address;
	return true;
}

static uint64_t of_entity(const struct entity *entity, uint64_t offset)
{
	uint64_t value = 0;

	if (offset + sizeof(value) <= entity_size)
		memcpy(&value, entity->data + offset, sizeof(value));
	return value;
}

static bool byte_of(const struct entity *entity, unsigned int field)
{
	return fields[field] != NONE && (of_entity(entity, fields[field]) & 0xff);
}

/* Whether the kernel lets who runs go on until its slice ends, as it notes that: since 6.17 by the
 * virtual run time until which it does, before that by a lag, which nobody else needs of who runs,
 * that is the deadline. */
static bool is_protected(const struct entity *entity)
{
	if (fields[SE_PROTECTED] != NONE)
		return (int64_t)(of_entity(entity, fields[SE_PROTECTED]) -
			of_entity(entity, fields[SE_VRUNTIME])) > 0;
	return fields[SE_LAG] != NONE && fields[SE_DEADLINE] != NONE &&
		of_entity(entity, fields[SE_LAG]) == of_entity(entity, fields[SE_DEADLINE]);
}

static size_t put_entity(char *text, const struct entity *entity, uint64_t zero, bool runs)
{
	uint64_t slice = of_entity(entity, fields[SE_SLICE]);
	uint64_t weight = of_entity(entity, fields[SE_WEIGHT]);
	struct task *task = NULL;
	uint32_t number;
	size_t size;

	if (of_entity(entity, fields[SE_QUEUE])) {
		size = sprintf(text, ".g");
	} else {
		number = known_task(entity->address - fields[TASK_SE]);
		task = &tasks[number];
		size = sprintf(text, ".%x", number);
	}
	size += sprintf(text + size, "%s%s,%" PRIx64 ",%" PRIx64,
		runs && is_protected(entity) ? "!" : "", byte_of(entity, SE_DELAYED) ? "~" : "",
		of_entity(entity, fields[SE_VRUNTIME]) - zero,
		fields[SE_DEADLINE] == NONE ? 0 : of_entity(entity, fields[SE_DEADLINE]) - zero);
	if (task && task->slice == slice && task->weight == weight)
		return size;
	if (task) {
		task->slice = slice;
		task->weight = weight;
	}
	return size + sprintf(text + size, ",%" PRIx64 ",%" PRIx64, slice, weight);
}

/* Read a queue's tree in order, of rb_node: parent and colour, right, left; return how many. */
static unsigned int read_tree(uint64_t node, struct entity *found)
{
	struct entity *way = found + QUEUE;
	unsigned int depth = 0, n = 0;

	while ((node || depth) && n < QUEUE) {
		if (node) {
			if (depth == DEPTH || !read_entity(&way[depth], node - fields[SE_NODE]))
				break;
			node = of_entity(&way[depth++], fields[SE_NODE] + 16);
		} else {
			found[n] = way[--depth];
			node = of_entity(&found[n++], fields[SE_NODE] + 8);
		}
	}
	return n;
}

static void picks(unsigned int cpu, void *data)
{
	static struct entity found[QUEUE + DEPTH], runs;
	uint64_t cfs, current, zero;
	unsigned int n;
	char text[LINE];
	size_t size;

	(void)data;
	if (!on)
		return;
	cfs = operand(0);
	n = read_tree(get(cfs, CFS_TREE, 8), found);
	current = n ? get(cfs, CFS_CURRENT, 8) : 0;
	if (current && !read_entity(&runs, current))
		return;
	/* It has left its queue before the next one is looked for. */
	if (current && fields[SE_ON_QUEUE] != NONE && !byte_of(&runs, SE_ON_QUEUE))
		current = 0;
	if (n + !!current < 2)
		return;
	zero = get(cfs, CFS_ZERO, 8);
	size = current ? put_entity(text, &runs, zero, true) : (size_t)sprintf(text, ".-");
	for (unsigned int i = 0; i < n && size < sizeof(text) - 128; i++)
		size += put_entity(text + size, &found[i], zero, false);
	/* Whose queue this is: that of the CPU of one who is on it. */
	cpu = get((current ? current : found[0].address) - fields[TASK_SE], TASK_CPU, 4) % CPUS;
	if (!looks[cpu] && !(looks[cpu] = calloc(1, LINE)))
		no_memory();
	word("k%u.%" PRIx64 "%s", cpu, time_of(cpu), strcmp(looks[cpu], text) ? text : ".=");
	strcpy(looks[cpu], text);
}

static void marked(unsigned int unused, void *which)
{
	(void)unused;
	if ((uintptr_t)which == BEGIN) {
		kept.length = 0;
		words = left_out = switches_left_out = 0;
		tasks_used = 0;
		memset(slots, 0, sizeof(slots));
		for (unsigned int cpu = 0; cpu < CPUS; cpu++)
			if (looks[cpu])
				*looks[cpu] = 0;
		for (unsigned int cpu = 0; cpu < CPUS; cpu++)
			switches[cpu] = get(queues[cpu], RQ_SWITCHES, 8);
		on = true;
	} else if (on) {
		for (unsigned int cpu = 0; cpu < CPUS; cpu++) {
			if (queues[cpu])
				word("n%u.%" PRIx64 ".%" PRIx64, cpu, switches[cpu],
					get(queues[cpu], RQ_SWITCHES, 8));
		}
		if (left_out) {
			char text[64];

			keep(text, sprintf(text, "x%" PRIx64 ".%" PRIx64, left_out, switches_left_out));
		}
		on = false;
		write_packed(VERSION);
	}
}

/* Run queues are known from before the begin on. */
static void known(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	if (!on)
		cpu_of(operand(0));
}

static void watch(struct qemu_plugin_insn *insn, uint64_t address)
{
	static const struct { on_execution call; char kind; } what[FUNCTIONS] = {
		[SWITCH] = { switched, 's' },
		[ENQUEUE] = { moved, 'e' }, [ENQUEUE_RT] = { moved, 'E' },
		[DEQUEUE] = { moved, 'd' }, [DEQUEUE_RT] = { moved, 'D' },
		[CHECK] = { checked, 'w' },
		[RESCHEDULE] = { of_queue, 'r' }, [RESCHEDULE_LAZY] = { of_queue, 'l' },
		[TICK] = { of_queue, 'i' }, [PICK] = { picks, 'k' },
		[WAKE] = { wakes, 0 }, [WAKE_NEW] = { wakes, 0 },
		[INTERRUPT] = { interrupt, '+' }, [INTERRUPT_END] = { interrupt, '-' },
	};

	for (unsigned int i = 0; i < FUNCTIONS; i++) {
		if (functions[i] == NONE || address != KERNEL + functions[i])
			continue;
		if (i == ENQUEUE)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, known, QEMU_PLUGIN_CB_R_REGS, NULL);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, what[i].call, QEMU_PLUGIN_CB_R_REGS,
			(void *)(uintptr_t)what[i].kind);
	}
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	bool kernel = qemu_plugin_tb_vaddr(tb) >= KERNEL;

	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint8_t code[sizeof(marker) + 1];

		if (kernel)
			watch(insn, qemu_plugin_insn_vaddr(insn));
		else if (qemu_plugin_insn_data(insn, code, sizeof(code)) == sizeof(code) &&
			 !memcmp(code, marker, sizeof(marker)))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_R_REGS,
				(void *)(uintptr_t)code[sizeof(marker)]);
	}
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	if (!info->system_emulation || strcmp(info->target_name, "x86_64")) {
		fprintf(stderr, NAME ": only x86_64 guests are read\n");
		return 1;
	}
	if (!read_places(argc, argv, VERSION, places, FUNCTIONS + FIELDS, NONE))
		return 1;
	for (unsigned int n = SE_WEIGHT; n <= SE_QUEUE; n++)
		if (fields[n] != NONE && fields[n] + 24 > entity_size)
			entity_size = fields[n] + 24;
	if (entity_size > ENTITY) {
		fprintf(stderr, NAME ": an entity of the queue is larger than %u bytes\n", ENTITY);
		return 1;
	}
	bytes = g_byte_array_new();
	qemu_plugin_register_vcpu_init_cb(id, began);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
