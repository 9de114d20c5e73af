// SPDX-License-Identifier: GPL-2.0
/*
 * By Documentation/admin-guide/mm/damon/usage.rst of the kernel. Each change is on the list of
 * undo.c, which is undone backwards, so a thread ends before it is removed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "damon.h"
#include "sys.h"
#include "undo.h"

#define ADMIN "/sys/kernel/mm/damon/admin/kdamonds"
#define STAT "/sys/module/damon_stat/parameters/enabled"

/* 20 samples a window, and 5 ms from one to the next, or more: DAMON's defaults (100 and 5 ms). */
#define SAMPLES 20
#define SAMPLE_LEAST_US 5000

/* The process in each slot; 0: none. */
static pid_t on[DAMON_SLOTS];

/**
 * damon_there() - has the kernel DAMON, with its files?
 */
bool damon_there(void)
{
	return sys_exists(ADMIN "/nr_kdamonds");
}

/**
 * damon_begin() - take DAMON for our use
 *
 * From Linux 7 on the kernel's own statistics hold it: they are switched off, and on again at
 * the end.
 *
 * Return: 0; -ENOENT without DAMON; -EBUSY, if another program uses it; or another negative errno.
 */
int damon_begin(void)
{
	char text[8] = "";
	uint64_t n;
	int err;

	memset(on, 0, sizeof(on));
	if (!damon_there())
		return -ENOENT;
	if (sys_read(STAT, text, sizeof(text)) > 0 && text[0] == 'Y') {
		err = undo_write(STAT, "N");
		if (err)
			return err;
	}
	err = sys_read_u64(ADMIN "/nr_kdamonds", &n);
	if (err)
		return err;
	if (n)
		return -EBUSY;
	snprintf(text, sizeof(text), "%d", DAMON_SLOTS);
	return undo_write_back(ADMIN "/nr_kdamonds", text, "0");
}

#define CONTEXT "contexts/0/"
#define INTERVALS CONTEXT "monitoring_attrs/intervals/"
#define SCHEME CONTEXT "schemes/0/"
#define PATTERN SCHEME "access_pattern/"

/* A file of a slot, and a text, or a number. */
struct setting {
	const char *file, *text;
	uint64_t value;
};

static int put_state(unsigned int slot, const char *text)
{
	char path[SYS_PATH];

	snprintf(path, sizeof(path), ADMIN "/%u/state", slot);
	return sys_write(path, text);
}

/* put_all() - up to one without a file */
static int put_all(unsigned int slot, const struct setting *settings)
{
	char path[SYS_PATH], text[24];
	int err = 0;

	for (; settings->file && !err; settings++) {
		snprintf(path, sizeof(path), ADMIN "/%u/%s", slot, settings->file);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)settings->value);
		err = sys_write(path, settings->text ? settings->text : text);
	}
	return err;
}

static int make(unsigned int slot, pid_t pid)
{
	const struct setting settings[] = {
		{ "contexts/nr_contexts", NULL, 1 },
		{ CONTEXT "operations", "vaddr", 0 },
		{ CONTEXT "targets/nr_targets", NULL, 1 },
		{ CONTEXT "targets/0/pid_target", NULL, (uint64_t)pid },
		{ CONTEXT "schemes/nr_schemes", NULL, 1 },
		{ SCHEME "action", "pageout", 0 },
		{ PATTERN "sz/min", NULL, sys_page_size() },
		{ PATTERN "sz/max", NULL, UINT64_MAX >> 1 },
		{ PATTERN "age/max", NULL, UINT32_MAX },
		{ NULL, NULL, 0 },
	};

	return put_all(slot, settings);
}

/* tune() - the window; and algorithm 2, lines 14 to 21 */
static int tune(unsigned int slot, uint64_t window_us, bool periodic)
{
	uint64_t sample_us = window_us / SAMPLES > SAMPLE_LEAST_US ? window_us / SAMPLES :
								     SAMPLE_LEAST_US;
	uint64_t whole_us = window_us > sample_us ? window_us : sample_us;
	const struct setting settings[] = {
		{ INTERVALS "sample_us", NULL, sample_us },
		{ INTERVALS "aggr_us", NULL, whole_us },
		{ INTERVALS "update_us", NULL, whole_us },
		{ PATTERN "nr_accesses/min", NULL, periodic ? 1 : 0 },
		{ PATTERN "nr_accesses/max", NULL, periodic ? UINT32_MAX : 1 },
		{ NULL, NULL, 0 },
	};

	return put_all(slot, settings);
}

/**
 * damon_aim() - page out by the rule of the paper
 * @slot: one for each process; those from DAMON_SLOTS on get no thread
 * @pid: the process
 * @window_us: T
 * @periodic: pages that were accessed in the window; else those that were at most once
 *
 * Return: 0, or a negative errno.
 */
int damon_aim(unsigned int slot, pid_t pid, uint64_t window_us, bool periodic)
{
	char path[SYS_PATH];
	int err = 0;

	if (slot >= DAMON_SLOTS)
		return -ENOSPC;
	if (on[slot] != pid)
		damon_stop(slot);
	if (!on[slot])
		err = make(slot, pid);
	if (!err)
		err = tune(slot, window_us, periodic);
	if (err)
		return err;
	if (on[slot] && !put_state(slot, "commit"))
		return 0;
	snprintf(path, sizeof(path), ADMIN "/%u/state", slot);
	err = undo_write_back(path, "on", "off");
	on[slot] = err ? 0 : pid;
	return err;
}

/**
 * damon_stop() - the process is not looked at any more
 * @slot: of damon_aim()
 */
void damon_stop(unsigned int slot)
{
	if (slot >= DAMON_SLOTS || !on[slot])
		return;
	put_state(slot, "off");
	on[slot] = 0;
}
