// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include "cgroup.h"
#include "cost.h"
#include "meters.h"
#include "parse.h"
#include "sys.h"

/* What is taken until it was measured: a read of flash, and to decompress a page. */
#define FILE_NS 200000
#define SWAP_NS 15000
/* A fault costs that beside the read. */
#define FAULT_NS 5000
/* Memory is plenty while more than one of so many parts of it is free. */
#define FREE_PART 16
/* A page that comes back goes out again: to compress it takes four times as long as to read it. */
#define WRITES 4
/* Fewer pages say nothing of what one costs. */
#define LEAST_PAGES 64

struct counts {
	uint64_t file;			/* file pages that came back */
	uint64_t anon;			/* pages that were read from the swap */
	uint64_t scanned;		/* pages that were looked at to take some back */
};

static struct {
	uint32_t ms;			/* when an app came to the front */
	char group[SYS_PATH];		/* its own; "": only the reads of all are known */
	struct counts counts;
	struct cost_reads reads;
	uint64_t file_ns;
	uint64_t swap_ns;
	uint64_t write_ns;
} state;

/* read_all() - what the kernel counts for the whole system */
static int read_all(struct counts *counts)
{
	char text[16384];
	uint64_t direct = 0, kswapd = 0;
	ssize_t n = sys_read("/proc/vmstat", text, sizeof(text));

	memset(counts, 0, sizeof(*counts));
	if (n < 0)
		return (int)n;
	/* One of both before Linux 5.9. */
	if (!parse_key(text, "workingset_refault_file", &counts->file))
		parse_key(text, "workingset_refault", &counts->file);
	parse_key(text, "pswpin", &counts->anon);
	parse_key(text, "pgscan_direct", &direct);
	parse_key(text, "pgscan_kswapd", &kswapd);
	counts->scanned = direct + kswapd;
	return 0;
}

/* read_group() - counts of the group of the app in front; false, if there are none */
static bool read_group(const char *group, struct counts *counts)
{
	char path[SYS_PATH], text[8192];

	if (!group[0] || cgroup_file(path, group, "memory.stat") ||
	    sys_read(path, text, sizeof(text)) <= 0 ||
	    !parse_key(text, "workingset_refault_file", &counts->file))
		return false;
	/*
	 * Newer kernels only. The LRU of several generations counts few of its refaults of
	 * anonymous pages.
	 */
	parse_key(text, "pswpin", &counts->anon);
	return true;
}

static int read_counts(struct counts *counts)
{
	int err = read_all(counts);
	struct counts own = *counts;

	if (err || !state.group[0])
		return err;
	if (read_group(state.group, &own)) {
		counts->file = own.file;
		counts->anon = own.anon;
	} else {
		state.group[0] = '\0';
	}
	return 0;
}

/* read_costs() - of the reads since the last time, if they were enough */
static void read_costs(void)
{
	struct cost_reads reads;
	uint64_t ns = cost_swap_ns();

	if (ns) {
		state.swap_ns = ns;
		state.write_ns = cost_swap_write_ns();
	}
	if (cost_file_reads(&reads) ||
	    (reads.pages >= state.reads.pages && reads.pages < state.reads.pages + LEAST_PAGES))
		return;
	ns = cost_page_ns(&state.reads, &reads);
	/* The last eighth counts: disks are read in bursts of different kinds. */
	if (ns)
		state.file_ns = state.file_ns - state.file_ns / 8 + ns / 8;
	state.reads = reads;
}

/* room() - pages that are free, beyond what has to be */
static int32_t room(void)
{
	uint64_t total, free_kib;
	char text[4096];

	if (sys_read("/proc/meminfo", text, sizeof(text)) <= 0 ||
	    !parse_key(text, "MemTotal", &total) || !parse_key(text, "MemFree", &free_kib))
		return 0;
	return (int32_t)(((int64_t)free_kib - (int64_t)total / FREE_PART) * 1024 /
			 (int64_t)sys_page_size());
}

/**
 * meters_begin() - count from now on
 * @now_ms: the time
 */
void meters_begin(uint32_t now_ms)
{
	memset(&state, 0, sizeof(state));
	state.ms = now_ms;
	state.file_ns = FILE_NS;
	state.swap_ns = SWAP_NS;
	state.write_ns = SWAP_NS * WRITES;
	read_counts(&state.counts);
	cost_file_reads(&state.reads);
}

/**
 * meters_switch() - an app comes to the front
 * @now_ms: the time
 * @group: its control group, whose own reads count, if the kernel tells them; or ""
 */
void meters_switch(uint32_t now_ms, const char *group)
{
	uint64_t scanned = state.counts.scanned;

	strcpy(state.group, group);
	state.ms = now_ms;
	/* The kernel may have looked for pages at any time. */
	if (!read_counts(&state.counts))
		state.counts.scanned = scanned;
}

/**
 * meters_read() - what happened since an app came to the front
 * @now_ms: the time
 * @news: filled in
 *
 * Return: 0, or a negative errno.
 */
int meters_read(uint32_t now_ms, struct balance_news *news)
{
	bool own = state.group[0];
	struct counts counts;
	int err = read_counts(&counts);

	memset(news, 0, sizeof(*news));
	/* Its group has gone: the counts of all are others. */
	if (!err && own && !state.group[0])
		err = -ESTALE;
	if (err)
		return err;
	read_costs();
	news->ms = now_ms - state.ms;
	news->file_pages = (uint32_t)(counts.file - state.counts.file);
	news->file_us = (counts.file - state.counts.file) * (state.file_ns + FAULT_NS) / 1000;
	news->anon_us = meters_swap_us(counts.anon - state.counts.anon);
	news->room = room();
	news->short_of_memory = counts.scanned != state.counts.scanned;
	state.counts = counts;
	return 0;
}

/**
 * meters_taken() - anonymous pages that the kernel has taken by itself
 *
 * Return: how many since boot; before Linux 5.8, which does not tell, another number each time.
 */
uint64_t meters_taken(void)
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
 * meters_file_ns() - what a page of a file costs that is read
 *
 * Return: nanoseconds.
 */
uint64_t meters_file_ns(void)
{
	return state.file_ns;
}

/**
 * meters_swap_ns() - what a page costs that is read from the swap
 *
 * Return: nanoseconds.
 */
uint64_t meters_swap_ns(void)
{
	return state.swap_ns;
}

/**
 * meters_swap_us() - what pages cost that are read from the swap, and go out again
 * @pages: so many
 *
 * Return: microseconds.
 */
uint64_t meters_swap_us(uint64_t pages)
{
	return pages * (state.swap_ns + state.write_ns + FAULT_NS) / 1000;
}
