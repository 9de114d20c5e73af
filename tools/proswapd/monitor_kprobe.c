// SPDX-License-Identifier: GPL-2.0
/*
 * Swap-outs that the kernel writes down into a trace buffer: for kernels without BPF, or without
 * the description of themselves that a BPF program needs.
 *
 * The event has the address of the memory structure of the program that loses the page. Whose it
 * is, is found out by an event at the end of mm_access(), which we make the kernel call. So the
 * kernel need write down only what processes that are watched lose.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "aside.h"
#include "log.h"
#include "maps.h"
#include "monitor_backend.h"
#include "monitor_ring.h"
#include "monitor_table.h"
#include "sys.h"
#include "tracefs.h"

#define GROUP "proswapd"
#define SWAPOUTS "swapouts"
#define MEMORY "memory"
/* For each processor; 48 bytes an event, some 2,700 from poll to poll. */
#define BUFFER_KIB "128"
/* A process may have begun another program, which has another memory. */
#define LEARN_US 2000000u

/* As in swapouts.bpf.c. */
#define MAPPING_KINDS 3u
#define MAPPING_ANON 1u

/* Processors that are listened to. */
#define CPUS 64

/* What is needed to read an event. */
struct event {
	uint64_t id;
	struct ring_field mapping;	/* of the page's structure */
	struct ring_field address;
	struct ring_field mm;		/* the memory structure */
};

static struct {
	bool made;			/* there may be something to remove */
	unsigned int word;		/* bytes of the kernel's long */
	int fds[CPUS];			/* what each processor wrote down, or -1 */
	unsigned char *page;		/* of it */
	uint64_t learned;		/* the last address of mm_access() */
	uint64_t learn_us;		/* when all were asked for */
	pid_t filtered;			/* whose calls of mm_access() are seen */
	bool lost;
	bool said_lost;
	struct event swapouts;
	struct event memory;
	struct {
		struct proc_id id;	/* pid 0: the slot is free */
		uint64_t mm;
	} processes[MONITOR_WATCHED];
} kprobe;

static const char *const events[] = { SWAPOUTS, MEMORY };

static void take_swapout(uint64_t time_us, uint64_t address, uint64_t mm)
{
	uint64_t vpn = address / sys_page_size();
	struct monitor_block *block;
	unsigned int slot;

	for (slot = 0; slot < MONITOR_WATCHED; slot++) {
		if (kprobe.processes[slot].id.pid && kprobe.processes[slot].mm == mm)
			break;
	}
	if (slot == MONITOR_WATCHED)
		return;
	block = monitor_table_get(slot, vpn / BLOCK_PAGES, time_us);
	if (block)
		monitor_record_add(&block->records[vpn % BLOCK_PAGES], time_us);
}

static void take(uint64_t time_us, const unsigned char *data, size_t size, void *arg)
{
	static const struct ring_field type = { 0, 2 };
	const struct event *event;
	uint64_t id, mapping, address, mm;

	(void)arg;
	if (!ring_value(type, data, size, &id))
		return;
	event = id == kprobe.swapouts.id ? &kprobe.swapouts : &kprobe.memory;
	if (event->id != id || !ring_value(event->mm, data, size, &mm))
		return;
	if (event == &kprobe.memory)
		kprobe.learned = mm;
	else if (ring_value(event->mapping, data, size, &mapping) &&
		 ring_value(event->address, data, size, &address) &&
		 (mapping & MAPPING_KINDS) == MAPPING_ANON)
		take_swapout(time_us, address, mm);
}

/* drain_one() - until nothing is left; a kernel that swaps all the time may not keep us for ever */
static int drain_one(int fd)
{
	unsigned int reads;

	for (reads = 0; reads < 4096; reads++) {
		ssize_t n = read(fd, kprobe.page, (size_t)sys_page_size());

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return -errno;
		if (n <= 0)
			return 0;
		if (ring_page(kprobe.page, (size_t)n, kprobe.word, &kprobe.lost, take, NULL))
			return -EINVAL;
	}
	return 0;
}

static int drain(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < CPUS && !err; i++) {
		if (kprobe.fds[i] >= 0)
			err = drain_one(kprobe.fds[i]);
	}
	if (kprobe.lost && !kprobe.said_lost) {
		log_info("the trace buffer was too small for all swap-outs: some are not counted");
		kprobe.said_lost = true;
	}
	return err;
}

/**
 * monitor_clean() - remove what a monitor left in the kernel whose process was killed
 *
 * monitor_open() does so, too. What a living process made stays.
 */
void monitor_clean(void)
{
	tracefs_name(GROUP);
	tracefs_clean(events, 2);
}

/* What to write down: all of it is in registers. The names are the kernel's. */
static const char *const *registers(const char *machine)
{
	static const char *const arm[] = { "%r0", "%r1", "%r2" };
	static const char *const mips[] = { "%r4", "%r5", "%r6" };
	static const char *const others[] = { "$arg1", "$arg2", "$arg3" };

	if (!strncmp(machine, "arm", 3))
		return arm;
	return strncmp(machine, "mips", 4) ? others : mips;
}

/*
 * The places in the structures are counted in words. A page's begins with the flags and two words
 * that are shared by several uses, and then has the mapping. A mapping's has its begin, its end
 * and since 6.1 the memory structure; before, four words and a tree's node were between. Were it
 * not so, no address would be that of a watched process, and nothing would be recorded.
 */
static int add_swapouts(void)
{
	unsigned int word = kprobe.word, mm, major = 0, minor = 0;
	const char *const *reg;
	struct utsname name;
	char probe[192];

	uname(&name);
	if (sscanf(name.release, "%u.%u", &major, &minor) != 2)
		major = 0;
	mm = major > 6 || (major == 6 && minor >= 1) ? 2 : 8;
	reg = registers(name.machine);
	snprintf(probe, sizeof(probe),
		 "try_to_unmap_one mapping=+%u(%s):x%u address=%s:x%u mm=+%u(%s):x%u", 3 * word,
		 reg[0], word * 8, reg[2], word * 8, mm * word, reg[1], word * 8);
	return tracefs_probe_add(SWAPOUTS, 'p', probe);
}

/* filter() - of all calls of mm_access() those of the helper, which is another one now and then */
static int filter(void)
{
	char text[64];
	int err = aside_start();

	if (err || kprobe.filtered == aside_pid())
		return err;
	snprintf(text, sizeof(text), "common_pid == %d", aside_pid());
	err = tracefs_probe_write(MEMORY, "filter", text);
	kprobe.filtered = err ? 0 : aside_pid();
	return err;
}

/* open_maps() - runs aside */
static int64_t open_maps(void *arg)
{
	const struct proc_id *id = arg;
	int fd = maps_open(*id, "maps");

	if (fd < 0)
		return fd == -ENOENT ? -ESRCH : fd;
	close(fd);
	return 0;
}

/*
 * learn() - the address of a process' memory structure. To open one of its files makes the kernel
 * call mm_access(), and it is the last event then.
 */
static int learn(struct proc_id id, uint64_t *mm)
{
	int err = filter();

	if (!err)
		err = drain();
	if (err)
		return err;
	kprobe.learned = 0;
	err = (int)aside(id, open_maps, &id, sizeof(id));
	if (!err)
		err = drain();
	if (err)
		return err;
	*mm = kprobe.learned;
	return *mm ? 0 : -ESRCH;
}

static int add_buffer(char *why, size_t size)
{
	int err = tracefs_instance_add();

	/* The clock and the size first: what is in the buffer is thrown away when they change. */
	if (!err)
		err = tracefs_instance_write("trace_clock", "mono");
	if (!err)
		err = tracefs_instance_write("buffer_size_kb", BUFFER_KIB);
	if (err)
		snprintf(why, size, "cannot make a trace buffer: %s", strerror(-err));
	return err;
}

static int describe(const char *name, struct event *event)
{
	char text[4096];
	int err = tracefs_probe_read(name, "id", text, sizeof(text));

	if (err)
		return err;
	event->id = strtoull(text, NULL, 10);
	err = tracefs_probe_read(name, "format", text, sizeof(text));
	event->mapping = ring_field(text, "mapping");
	event->address = ring_field(text, "address");
	event->mm = ring_field(text, "mm");
	return !err && !event->mm.size ? -EINVAL : err;
}

static int add_probes(char *why, size_t size)
{
	int err = add_swapouts();

	if (!err)
		err = tracefs_probe_add(MEMORY, 'r', "mm_access mm=$retval");
	if (!err)
		err = describe(SWAPOUTS, &kprobe.swapouts);
	if (!err)
		err = describe(MEMORY, &kprobe.memory);
	kprobe.filtered = 0;
	if (!err)
		err = filter();
	if (!err)
		err = tracefs_probe_write(MEMORY, "enable", "1");
	if (err)
		snprintf(why, size, "no kprobe on try_to_unmap_one or mm_access: %s",
			 strerror(-err));
	return err;
}

static int listen_to_all(char *why, size_t size)
{
	unsigned int i, n = 0;
	uint64_t mm;
	int err;

	for (i = 0; i < CPUS; i++) {
		kprobe.fds[i] = tracefs_open_raw(i);
		n += kprobe.fds[i] >= 0;
	}
	err = n ? tracefs_instance_write("tracing_on", "1") : kprobe.fds[0];
	if (!err)
		err = learn((struct proc_id){ .pid = getpid() }, &mm);
	if (err)
		snprintf(why, size, "the kernel does not say which memory is whose: %s",
			 strerror(-err));
	return err;
}

static int allocate(uint32_t pages)
{
	struct utsname name;

	uname(&name);
	kprobe.word = strstr(name.machine, "64") ? 8 : 4;
	kprobe.page = malloc((size_t)sys_page_size());
	return kprobe.page ? monitor_table_open(pages) : -ENOMEM;
}

static int begin(uint32_t pages, char *why, size_t size)
{
	int err;

	memset(&kprobe, 0, sizeof(kprobe));
	memset(kprobe.fds, 0xff, sizeof(kprobe.fds));
	tracefs_name(GROUP);
	if (!tracefs_there()) {
		snprintf(why, size, "mount -t tracefs none /sys/kernel/tracing, as root");
		return -ENOENT;
	}
	if (!tracefs_has("kprobe_events")) {
		snprintf(why, size, "the kernel is built without CONFIG_KPROBE_EVENTS");
		return -ENOENT;
	}
	err = allocate(pages);
	if (err)
		return err;
	kprobe.made = true;
	err = add_buffer(why, size);
	if (!err)
		err = add_probes(why, size);
	return err ? err : listen_to_all(why, size);
}

static void end(void)
{
	unsigned int i;

	for (i = 0; i < CPUS; i++) {
		if (kprobe.made && kprobe.fds[i] >= 0)
			close(kprobe.fds[i]);
	}
	if (kprobe.made) {
		tracefs_instance_remove();
		tracefs_probe_remove(SWAPOUTS);
		tracefs_probe_remove(MEMORY);
	}
	free(kprobe.page);
	memset(&kprobe, 0, sizeof(kprobe));
	monitor_table_close();
}

/* select_processes() - let the kernel write down what those lose that are watched */
static int select_processes(void)
{
	char filter[MONITOR_WATCHED * 32 + 32];
	size_t used = 0;
	unsigned int slot;
	int err;

	for (slot = 0; slot < MONITOR_WATCHED; slot++) {
		if (!kprobe.processes[slot].id.pid)
			continue;
		used += (size_t)snprintf(filter + used, sizeof(filter) - used, "%smm == 0x%llx",
					 used ? " || " : "mapping & 1 && (",
					 (unsigned long long)kprobe.processes[slot].mm);
	}
	if (!used)
		return tracefs_probe_write(SWAPOUTS, "enable", "0");
	snprintf(filter + used, sizeof(filter) - used, ")");
	err = tracefs_probe_write(SWAPOUTS, "filter", filter);
	return err ? err : tracefs_probe_write(SWAPOUTS, "enable", "1");
}

static int watch(unsigned int slot, struct proc_id id)
{
	uint64_t mm;
	int err = learn(id, &mm);

	if (err)
		return err;
	kprobe.processes[slot].id = id;
	kprobe.processes[slot].mm = mm;
	return select_processes();
}

static void unwatch(unsigned int slot, pid_t tgid)
{
	(void)tgid;
	monitor_table_drop(slot);
	if (!kprobe.processes[slot].id.pid)
		return;
	kprobe.processes[slot].id.pid = 0;
	select_processes();
}

static void forget(unsigned int slot, pid_t tgid)
{
	(void)tgid;
	monitor_table_drop(slot);
}

/* learn_again() - whose memory is another one by now */
static int learn_again(void)
{
	uint64_t now_us = sys_now_us(), mm;
	unsigned int slot;
	bool changed = false;

	if (now_us - kprobe.learn_us < LEARN_US)
		return 0;
	kprobe.learn_us = now_us;
	for (slot = 0; slot < MONITOR_WATCHED; slot++) {
		if (!kprobe.processes[slot].id.pid || monitor_slot_sleeps(slot) ||
		    learn(kprobe.processes[slot].id, &mm) ||
		    mm == kprobe.processes[slot].mm)
			continue;
		kprobe.processes[slot].mm = mm;
		monitor_table_drop(slot);
		changed = true;
	}
	return changed ? select_processes() : 0;
}

static int poll_all(void)
{
	int err = drain();

	return err ? err : learn_again();
}

const struct monitor_backend monitor_kprobe = {
	.name = "kprobe",
	.open = begin,
	.close = end,
	.watch = watch,
	.unwatch = unwatch,
	.forget = forget,
	.poll = poll_all,
	.each = monitor_table_each,
};
