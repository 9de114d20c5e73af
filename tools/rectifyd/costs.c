// SPDX-License-Identifier: GPL-2.0
/*
 * All measurements of a switch. Counters of the system or of the app's control group tell how many
 * pages were read again; the price of a page is measured, too. The waits of the app come from the
 * best source that the kernel has.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cgroup.h"
#include "cost.h"
#include "costs.h"
#include "parse.h"

#define GENERATIONS "/sys/kernel/mm/lru_gen/enabled"
/* Prices until they are measured: a read of flash, and decompression of a page. */
#define FILE_NS 200000
#define SWAP_NS 15000
/* Price of a fault in addition to the read: a guess. */
#define FAULT_NS 5000
/* This part of the memory does not count as free: a guess. */
#define FREE_PART 16
/* A page that is read goes out again. Compression takes four times as long as decompression. */
#define WRITES 4
/* Fewer reads than this give no price: a guess. */
#define LEAST_PAGES 64
/* Of /proc/PID/stat: the name is the second field. */
#define NAME_FIELD 2
#define DELAY_FIELD 42

/* Indexed by enum costs_source. */
const char *const costs_names[] = { "none", "pressure", "delays", "faults" };

struct counts {
	uint64_t file;			/* file pages that came back */
	uint64_t anon;			/* pages that were read from the swap */
	uint64_t scanned;		/* pages that reclaim looked at */
};

/* State since the last switch. */
static struct {
	uint32_t ms;			/* when an app came to the front */
	char group[SYS_PATH];		/* the app's group with counters; "": use the system's */
	struct counts counts;
	struct cost_reads reads;
	struct costs waits;
	struct costs_prices prices;
} state;

/**
 * costs_since() - how long an app has waited
 * @before: at the begin
 * @now: at the end, from the same source
 *
 * PSI of memory counts refaults of pages that were in use, and reclaim. PSI of I/O counts all reads
 * from a device. Neither counts pages that were not in use and that the processor itself copies or
 * decompresses: that is time in the kernel. So the waits are I/O plus that time, or those for
 * memory, whichever is more.
 *
 * Return: microseconds.
 */
uint64_t costs_since(const struct costs *before, const struct costs *now)
{
	uint64_t memory_us = now->memory_us - before->memory_us;
	uint64_t other_us = now->io_us - before->io_us + now->system_us - before->system_us;

	if (now->source != before->source || now->memory_us < before->memory_us ||
	    now->io_us < before->io_us || now->system_us < before->system_us)
		return 0;
	return memory_us > other_us ? memory_us : other_us;
}

/**
 * costs_delay() - how long a process waited for block devices, by delay accounting
 * @stat: text of /proc/PID/stat; the name may have blanks and brackets
 *
 * Return: clock ticks; 0, if the kernel does not print it.
 */
uint64_t costs_delay(const char *stat)
{
	const char *field = strrchr(stat, ')');
	unsigned long long ticks = 0;
	unsigned int nr;

	for (nr = NAME_FIELD; field && nr < DELAY_FIELD; nr++)
		field = strchr(field + 1, ' ');
	return field && sscanf(field, " %llu", &ticks) == 1 ? ticks : 0;
}

static bool read_group_file(const char *group, const char *file, char *text, size_t size)
{
	char path[SYS_PATH];

	return group[0] && !cgroup_file(path, group, file) && sys_read(path, text, size) > 0;
}

/* read_system_counters() - the counters of the whole system */
static int read_system_counters(struct counts *counts)
{
	char text[16384];
	uint64_t direct = 0, kswapd = 0;
	ssize_t n = sys_read("/proc/vmstat", text, sizeof(text));

	memset(counts, 0, sizeof(*counts));
	if (n < 0)
		return (int)n;
	/* Before Linux 5.9 one counter had both. */
	if (!parse_key(text, "workingset_refault_file", &counts->file))
		parse_key(text, "workingset_refault", &counts->file);
	parse_key(text, "pswpin", &counts->anon);
	parse_key(text, "pgscan_direct", &direct);
	parse_key(text, "pgscan_kswapd", &kswapd);
	counts->scanned = direct + kswapd;
	return 0;
}

/* read_counters() - the counters of the group of the app in front, or of the whole system */
static int read_counters(struct counts *counts)
{
	char text[8192];
	uint64_t file;
	int err = read_system_counters(counts);

	if (err)
		return err;
	if (!read_group_file(state.group, "memory.stat", text, sizeof(text)) ||
	    !parse_key(text, "workingset_refault_file", &file)) {
		state.group[0] = '\0';
		return 0;
	}
	counts->file = file;
	/*
	 * Newer kernels only. MGLRU counts few refaults of anonymous pages, so they cannot take the
	 * place of this.
	 */
	parse_key(text, "pswpin", &counts->anon);
	return 0;
}

/* read_prices() - the prices of the reads since the last time, if there were enough reads */
static void read_prices(void)
{
	struct cost_reads reads;
	uint64_t ns = cost_swap_ns();

	if (ns) {
		state.prices.swap_ns = ns;
		state.prices.write_ns = cost_swap_write_ns();
	}
	if (cost_file_reads(&reads) ||
	    (reads.pages >= state.reads.pages && reads.pages < state.reads.pages + LEAST_PAGES))
		return;
	ns = cost_page_ns(&state.reads, &reads);
	/* A new measurement has a weight of an eighth, because bursts of disk reads differ. */
	if (ns)
		state.prices.file_ns += ns / 8 - state.prices.file_ns / 8;
	state.reads = reads;
}

/* free_pages() - free pages beyond a part of the memory; negative: fewer */
static int32_t free_pages(void)
{
	uint64_t total, free_kib;
	char text[4096];

	if (sys_read("/proc/meminfo", text, sizeof(text)) <= 0 ||
	    !parse_key(text, "MemTotal", &total) || !parse_key(text, "MemFree", &free_kib))
		return 0;
	return (int32_t)(((int64_t)free_kib - (int64_t)total / FREE_PART) * 1024 /
			 (int64_t)sys_page_size());
}

static bool read_psi(const char *group, const char *file, uint64_t *us)
{
	char text[512];
	struct psi psi;

	if (!read_group_file(group, file, text, sizeof(text)) || parse_psi(text, &psi))
		return false;
	*us = psi.some.total;
	return true;
}

static bool read_pressure(const struct config *config, const struct app *app, struct costs *costs)
{
	char group[SYS_PATH], text[1024];

	if (!app_group(config, app->name, group, sizeof(group)) ||
	    !read_psi(group, "memory.pressure", &costs->memory_us) ||
	    !read_psi(group, "io.pressure", &costs->io_us))
		return false;
	if (read_group_file(group, "cpu.stat", text, sizeof(text)))
		parse_key(text, "system_usec", &costs->system_us);
	return true;
}

/* io_ticks() - how long a process waited for block devices */
static uint64_t io_ticks(pid_t pid)
{
	char path[32], text[1024];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return sys_read(path, text, sizeof(text)) > 0 ? costs_delay(text) : 0;
}

/* has_delays() - does the kernel account delays? Before Linux 5.14 always, if built in. */
static bool has_delays(void)
{
	uint64_t on;

	if (sys_read_u64("/proc/sys/kernel/task_delayacct", &on))
		return io_ticks(1);
	return on;
}

/* add_waits() - add the waits of a process; @begins: only remember them, to subtract later */
static void add_waits(struct member *member, struct costs *costs, bool begins)
{
	uint64_t tick_us = 1000000 / (uint64_t)sysconf(_SC_CLK_TCK), io_us;
	struct proc_stat stat;

	if (proc_read(member->id.pid, &stat) || stat.start != member->id.start)
		return;
	/* Sum up faults, not their price, because the price may change meanwhile. */
	io_us = costs->source == COSTS_DELAYS ? io_ticks(member->id.pid) * tick_us : stat.majflt;
	if (begins) {
		member->waited = true;
		member->io_us = io_us;
		member->system_us = stat.stime * tick_us;
	} else if (member->waited && io_us >= member->io_us) {
		io_us -= member->io_us;
		if (costs->source == COSTS_FAULTS)
			io_us = io_us * state.prices.file_ns / 1000;
		costs->io_us += io_us;
		costs->system_us += stat.stime * tick_us - member->system_us;
	}
}

/* begin_waits() - remember the waits of an app that comes to the front */
static void begin_waits(const struct config *config, struct app *app)
{
	struct costs *waits = &state.waits;
	struct member *member = NULL;

	waits->source = COSTS_PRESSURE;
	if (read_pressure(config, app, waits))
		return;
	*waits = (struct costs){ .source = has_delays() ? COSTS_DELAYS : COSTS_FAULTS };
	while ((member = app_next_member(app, member)))
		member->waited = false;
	app_search(config, app);
	while ((member = app_next_member(app, member)))
		add_waits(member, waits, true);
}

/**
 * costs_begin() - count from now on
 * @now_ms: the time
 */
void costs_begin(uint32_t now_ms)
{
	memset(&state, 0, sizeof(state));
	state.ms = now_ms;
	state.prices = (struct costs_prices){ FILE_NS, SWAP_NS, SWAP_NS * WRITES };
	read_counters(&state.counts);
	cost_file_reads(&state.reads);
}

/**
 * costs_switch() - an app comes to the front
 * @config: where apps are
 * @app: the app
 * @now_ms: the time
 * @waits: read its waits and its own counters; false: only counters of the system, which is faster
 */
void costs_switch(const struct config *config, struct app *app, uint32_t now_ms, bool waits)
{
	uint64_t scanned = state.counts.scanned;

	memset(&state.waits, 0, sizeof(state.waits));
	if (waits)
		begin_waits(config, app);
	if (!waits || !app_group(config, app->name, state.group, sizeof(state.group)))
		state.group[0] = '\0';
	state.ms = now_ms;
	/* Reclaim counts whenever it ran, also between two visits. */
	if (!read_counters(&state.counts))
		state.counts.scanned = scanned;
}

/**
 * costs_read() - what happened since an app came to the front
 * @now_ms: the time
 * @news: filled in, without hot_us and cold_us
 *
 * Return: 0, or a negative errno.
 */
int costs_read(uint32_t now_ms, struct balance_news *news)
{
	bool own = state.group[0];
	struct counts counts;
	int err = read_counters(&counts);

	memset(news, 0, sizeof(*news));
	/* The app's group has gone; the system's counters cannot be compared with its counters. */
	if (!err && own && !state.group[0])
		err = -ESTALE;
	if (err)
		return err;
	read_prices();
	news->ms = now_ms - state.ms;
	news->file_pages = (uint32_t)(counts.file - state.counts.file);
	news->file_us = news->file_pages * (state.prices.file_ns + FAULT_NS) / 1000;
	news->anon_us = costs_swap_us(counts.anon - state.counts.anon);
	news->room = free_pages();
	news->short_of_memory = counts.scanned != state.counts.scanned;
	state.counts = counts;
	return 0;
}

/**
 * costs_waited() - how long an app has waited since it came to the front
 * @config: where apps are
 * @app: the app of costs_switch()
 * @io_us: filled in: of that, for devices
 *
 * Return: microseconds.
 */
uint64_t costs_waited(const struct config *config, struct app *app, uint64_t *io_us)
{
	struct costs now = { .source = state.waits.source }, before = state.waits;
	struct member *member = NULL;
	uint64_t us;

	*io_us = 0;
	if (now.source == COSTS_PRESSURE) {
		if (!read_pressure(config, app, &now))
			return 0;
	} else {
		before = now;
		while ((member = app_next_member(app, member)))
			add_waits(member, &now, false);
	}
	us = costs_since(&before, &now);
	*io_us = us ? now.io_us - before.io_us : 0;
	return us;
}

/**
 * costs_source() - the source of the waits since the last switch
 *
 * Return: COSTS_NONE, if they were not read.
 */
enum costs_source costs_source(void)
{
	return state.waits.source;
}

/**
 * costs_taken() - anonymous pages that the kernel has reclaimed by itself
 *
 * Return: their number since boot; before Linux 5.8, which does not count them, a new number at
 * each call.
 */
uint64_t costs_taken(void)
{
	static uint64_t calls;
	char text[16384];
	uint64_t taken;

	if (sys_read("/proc/vmstat", text, sizeof(text)) <= 0 ||
	    !parse_key(text, "pgsteal_anon", &taken))
		return ++calls;
	return taken;
}

/**
 * costs_generations() - does the kernel use MGLRU?
 */
bool costs_generations(void)
{
	char text[32];

	/* Hexadecimal: "0x0007". */
	return !sys_read_line(GENERATIONS, text, sizeof(text)) && (strtoul(text, NULL, 16) & 1);
}

/**
 * costs_prices() - the prices of a page, as far as they were measured
 */
const struct costs_prices *costs_prices(void)
{
	return &state.prices;
}

/**
 * costs_swap_us() - price of pages that are read from the swap and go out again
 * @pages: how many
 *
 * Return: microseconds.
 */
uint64_t costs_swap_us(uint64_t pages)
{
	return pages * (state.prices.swap_ns + state.prices.write_ns + FAULT_NS) / 1000;
}
