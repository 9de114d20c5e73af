// SPDX-License-Identifier: GPL-2.0
/*
 * Swap-outs: chooses the way to see them that works here, has the list of watched processes, and
 * turns records into pages. monitor_bpf.c and monitor_pagemap.c do the seeing.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "monitor_backend.h"
#include "sys.h"

/*
 * Records for half of the memory's pages: they take a hundredth of it in the kernel, or a fraction
 * of this process' 3 MiB. Programs whose period shows have more than one page that shows it.
 */
#define LEAST_PAGES 4096
#define MOST_PAGES 65536

/* Without libbpf the first one is not there. */
static const struct monitor_backend *const backends[MONITOR_KINDS] = {
#ifdef HAVE_LIBBPF
	[MONITOR_BPF] = &monitor_bpf,
#endif
	[MONITOR_PAGEMAP] = &monitor_pagemap,
};

static const char *const names[MONITOR_KINDS] = { "bpf", "pagemap" };

static struct {
	const struct monitor_backend *backend;	/* NULL: closed */
	enum monitor_kind kind;
	pid_t watched[MONITOR_WATCHED];		/* 0: the slot is free */
	bool sleeps[MONITOR_WATCHED];
} monitor;

/* try_open() - with a reason, if it fails */
static int try_open(enum monitor_kind kind, unsigned int every, char *why, size_t size)
{
	const struct monitor_backend *backend = backends[kind];
	long pages = sysconf(_SC_PHYS_PAGES) / 2;
	int err;

	if (!backend) {
		snprintf(why, size, "this program is built without libbpf");
		return -EOPNOTSUPP;
	}
	why[0] = '\0';
	pages = pages < LEAST_PAGES ? LEAST_PAGES : pages > MOST_PAGES ? MOST_PAGES : pages;
	err = backend->open((uint32_t)pages, every, why, size);
	if (err) {
		backend->close();
		if (!why[0])
			snprintf(why, size, "%s", strerror(-err));
	}
	return err;
}

/**
 * monitor_open() - begin, without a process yet
 * @kind: enum monitor_kind; or -1: the best that works here
 * @every: one of so many pages is enough, a power of two; 1: all are recorded
 * @why: why it, or those that are better than the one in use, cannot be used; or ""
 * @size: of @why
 *
 * Return: 0, or a negative errno.
 */
int monitor_open(int kind, unsigned int every, char *why, size_t size)
{
	int first = kind < 0 ? 0 : kind, last = kind < 0 ? MONITOR_KINDS - 1 : kind;
	int i, err = -EINVAL;
	size_t used = 0;
	char reason[160];

	why[0] = '\0';
	memset(&monitor, 0, sizeof(monitor));
	for (i = first; i <= last && i < MONITOR_KINDS; i++) {
		err = try_open((enum monitor_kind)i, every, reason, sizeof(reason));
		if (!err) {
			monitor.backend = backends[i];
			monitor.kind = (enum monitor_kind)i;
			return 0;
		}
		if (used < size)
			used += (size_t)snprintf(why + used, size - used, "%s%s: %s",
						 used ? "; " : "", names[i], reason);
	}
	return err;
}

/**
 * monitor_kind() - the one in use
 */
enum monitor_kind monitor_kind(void)
{
	return monitor.kind;
}

/**
 * monitor_name() - the name of a kind, as in the configuration
 * @kind: the kind
 */
const char *monitor_name(enum monitor_kind kind)
{
	return names[kind];
}

/* slot_of() - of a process, or with 0 a free one; or -1 */
static int slot_of(pid_t tgid)
{
	int slot;

	for (slot = 0; slot < MONITOR_WATCHED; slot++)
		if (monitor.watched[slot] == tgid)
			return slot;
	return -1;
}

/* watched_slot() - of a process that is watched, or -1 */
static int watched_slot(pid_t tgid)
{
	return monitor.backend && tgid > 0 ? slot_of(tgid) : -1;
}

/**
 * monitor_watch() - record the swap-outs of a process from now on
 * @id: the process; unwatch it when it has ended, before another one has its id
 *
 * Return: 0; -ENOSPC, if MONITOR_WATCHED are watched; -ESRCH, if it has no memory; or another
 * negative errno.
 */
int monitor_watch(struct proc_id id)
{
	char path[32];
	int slot, err;

	if (!monitor.backend || id.pid <= 0)
		return -EINVAL;
	snprintf(path, sizeof(path), "/proc/%d", id.pid);
	if (!sys_exists(path))
		return -ESRCH;
	if (slot_of(id.pid) >= 0)
		return 0;
	slot = slot_of(0);
	if (slot < 0)
		return -ENOSPC;
	err = monitor.backend->watch((unsigned int)slot, id);
	if (err)
		monitor.backend->unwatch((unsigned int)slot, id.pid);
	else
		monitor.watched[slot] = id.pid;
	monitor.sleeps[slot] = false;
	return err;
}

/**
 * monitor_sleeps() - a process does not run, or runs again
 * @tgid: its id; it need not be watched
 * @sleeps: it has no news
 */
void monitor_sleeps(pid_t tgid, bool sleeps)
{
	int slot = watched_slot(tgid);

	if (slot >= 0)
		monitor.sleeps[slot] = sleeps;
}

/**
 * monitor_unwatch() - record a process no more, and drop its records
 * @tgid: its id; it need not be watched
 */
void monitor_unwatch(pid_t tgid)
{
	int slot = watched_slot(tgid);

	if (slot < 0)
		return;
	monitor.backend->unwatch((unsigned int)slot, tgid);
	monitor.watched[slot] = 0;
}

/**
 * monitor_poll() - take news of the kernel; some ten times a second
 */
void monitor_poll(void)
{
	if (monitor.backend)
		monitor.backend->poll(monitor.sleeps);
}

/**
 * monitor_record_page() - a record in full. PURE
 * @record: with a count of 1 or more
 * @vpn: the page
 * @now_us: the time
 * @page: filled in, without the process
 */
void monitor_record_page(const struct monitor_record *record, uint64_t vpn, uint64_t now_us,
			 struct monitor_page *page)
{
	uint64_t ago = (uint64_t)monitor_record_age(record, now_us) * MONITOR_TICK_US;
	uint64_t span = record->last - record->first;

	page->vpn = vpn;
	page->count = record->count;
	page->gap_us = (uint64_t)record->gap * MONITOR_TICK_US;
	page->mean_us = record->count > 1 ? span * MONITOR_TICK_US / (record->count - 1) : 0;
	page->last_us = ago < now_us ? now_us - ago : 0;
}

/* From records to pages. */
struct each {
	pid_t tgid;			/* 0: of all */
	monitor_fn fn;
	void *arg;
	uint64_t now_us;
};

static void each_record(unsigned int slot, uint64_t vpn, const struct monitor_record *record,
			void *arg)
{
	const struct each *each = arg;
	struct monitor_page page;

	if (!monitor.watched[slot] || (each->tgid && monitor.watched[slot] != each->tgid))
		return;
	monitor_record_page(record, vpn, each->now_us, &page);
	page.tgid = monitor.watched[slot];
	each->fn(&page, each->arg);
}

/**
 * monitor_each() - call a function for each page that was swapped out
 * @tgid: the process; 0: all processes that are watched, which takes no longer
 * @fn: the function; pages are in no order
 * @arg: for @fn
 */
void monitor_each(pid_t tgid, monitor_fn fn, void *arg)
{
	struct each each = { tgid, fn, arg, sys_now_us() };

	if (monitor.backend)
		monitor.backend->each(each_record, &each);
}

/**
 * monitor_forget() - drop the records of a process, and record on
 * @tgid: its id; it need not be watched
 */
void monitor_forget(pid_t tgid)
{
	int slot = watched_slot(tgid);

	if (slot >= 0)
		monitor.backend->forget((unsigned int)slot);
}

/**
 * monitor_close() - the end; nothing of it stays in the kernel
 */
void monitor_close(void)
{
	unsigned int slot;

	for (slot = 0; slot < MONITOR_WATCHED; slot++)
		monitor_unwatch(monitor.watched[slot]);
	if (monitor.backend)
		monitor.backend->close();
	monitor.backend = NULL;
}

/**
 * monitor_check() - print which kinds work here, and why the others do not
 * @wanted: a kind; -1: any
 *
 * Context: not while the monitor is open.
 *
 * Return: true, if that one works.
 */
bool monitor_check(int wanted)
{
	static const char *const good[MONITOR_KINDS] = {
		"the kernel counts swap-outs", "page tables are compared, ten times a second",
	};
	unsigned int kind;
	bool works = false;

	for (kind = 0; kind < MONITOR_KINDS; kind++) {
		char label[32], why[256];
		int err = monitor_open((int)kind, 1, why, sizeof(why));

		snprintf(label, sizeof(label), "swap-outs by %s", names[kind]);
		printf("%-24s %-4s %s\n", label, err ? "no" : "yes",
		       err ? why + strlen(names[kind]) + 2 : good[kind]);
		monitor_close();
		works |= !err && (wanted < 0 || wanted == (int)kind);
	}
	return works;
}
