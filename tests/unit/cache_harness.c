/*
 * Drive the model of caches without an emulator: what QEMU would call is read from standard input,
 * a line each.
 *
 *   g LEVEL BYTES WAYS    a cache, before anything else
 *   b, e                  begin and end, as a program marks them
 *   c CPU                 whose turn it is
 *   l CODE ADDRESS        a load by an instruction; s: a store
 *   f CODE ADDRESS        a block of one instruction is executed
 *   q ADDRESS BYTE        a run queue of 64 bytes, all of which are BYTE
 */
#include "caches.c"

__thread void *current_cpu;
static char cpu_objects[MOST_CPUS];
static uint64_t queue_at;
static uint8_t queue_byte;

void *qemu_get_cpu(int index) { return &cpu_objects[index]; }
bool qemu_plugin_mem_is_store(uint32_t how) { return how; }
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(uint32_t how, uint64_t address)
{
	(void)how;
	return (void *)(uintptr_t)(address & 0xffffffff);
}
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *at) { (void)at; return false; }
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *at) { return (uintptr_t)at; }
int qemu_plugin_read_register(struct qemu_plugin_register *which, GByteArray *to)
{
	(void)which;
	memcpy(to->data, &queue_at, to->len = sizeof(queue_at));
	return to->len;
}
bool qemu_plugin_read_memory_vaddr(uint64_t address, GByteArray *to, size_t size)
{
	(void)address;
	memset(to->data, queue_byte, to->len = size);
	return true;
}
GByteArray *g_byte_array_new(void)
{
	static uint8_t room[4096];
	static GByteArray array = { room, 0 };

	return &array;
}
GByteArray *g_byte_array_set_size(GByteArray *array, unsigned int size)
{
	array->len = size;
	return array;
}
void g_free(void *memory) { free(memory); }
char *g_base64_encode(const uint8_t *data, size_t size)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *text = zeroed(size / 3 * 4 + 5, 1), *to = text;

	for (size_t i = 0; i < size; i += 3) {
		uint32_t three = data[i] << 16 | (i + 1 < size ? data[i + 1] << 8 : 0) |
			(i + 2 < size ? data[i + 2] : 0);

		*to++ = letters[three >> 18];
		*to++ = letters[three >> 12 & 63];
		*to++ = i + 1 < size ? letters[three >> 6 & 63] : '=';
		*to++ = i + 2 < size ? letters[three & 63] : '=';
	}
	return text;
}
/* What only translation uses. */
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t, unsigned int)) { (void)id; (void)call; }
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*call)(qemu_plugin_id_t, struct qemu_plugin_tb *)) { (void)id; (void)call; }
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, on_execution call, enum qemu_plugin_cb_flags flags, void *data) { (void)tb; (void)call; (void)flags; (void)data; }
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, on_execution call, enum qemu_plugin_cb_flags flags, void *data) { (void)insn; (void)call; (void)flags; (void)data; }
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, on_access call, enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw, void *data) { (void)insn; (void)call; (void)flags; (void)rw; (void)data; }
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb) { (void)tb; return 0; }
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb) { (void)tb; return 0; }
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i) { (void)tb; (void)i; return NULL; }
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size) { (void)insn; (void)to; (void)size; return 0; }
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn) { (void)insn; return 0; }
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn) { (void)insn; return NULL; }
GArray *qemu_plugin_get_registers(void) { return NULL; }

int main(void)
{
	const qemu_info_t info = {
		.target_name = "x86_64", .system_emulation = true, .system = { 4, 4 },
	};
	char argument[] = "at=" VERSION ":1:2:40:40", *arguments[] = { argument };
	unsigned long long a, b;
	char kind, line[128];

	current_cpu = &cpu_objects[0];
	if (qemu_plugin_install(0, &info, 1, arguments))
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		struct block block = { .instructions = 1, .used = 1 };

		a = b = 0;
		sscanf(line, "%c %llx %llx", &kind, &a, &b);
		switch (kind) {
		case 'g':
			sscanf(line, "g %llu %u %u", &a, &geometry[a].bytes, &geometry[a].ways);
			break;
		case 'b':
		case 'e':
			marked(0, (void *)(uintptr_t)(kind == 'b' ? BEGIN : END));
			break;
		case 'c':
			current_cpu = &cpu_objects[a];
			break;
		case 'l':
		case 's':
			accessed(0, kind == 's', b, a ? site_of(a) : &user);
			break;
		case 'f':
			block.site = a ? site_of(a) : &user;
			block.lines[0] = b >> LINE_BITS | CODE;
			executed(0, &block);
			break;
		case 'q':
			queue_at = a;
			queue_byte = b;
			queued(0, NULL);
			break;
		}
	}
	return 0;
}
