// SPDX-License-Identifier: GPL-2.0
/*
 * By Documentation/admin-guide/mm/damon/usage.rst of the kernel. Everything that is made is on the
 * list of what has to be undone; the list is undone backwards, so that a thread ends before it is
 * taken away.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "damon.h"
#include "sys.h"
#include "undo.h"

#define ADMIN "/sys/kernel/mm/damon/admin/kdamonds"
#define STAT "/sys/module/damon_stat/parameters/enabled"

/* So many samples a window; more often than each 5 ms they cost too much. */
#define SAMPLES 20
#define SAMPLE_LEAST_US 5000

/* The process that each slot watches; 0: none. */
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
 * Return: 0; -EBUSY, if somebody else uses it; or another negative errno.
 */
int damon_begin(void)
{
	char text[8] = "";
	uint64_t n;
	int err;

	memset(on, 0, sizeof(on));
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

static int put_text(unsigned int slot, const char *file, const char *text)
{
	char path[SYS_PATH];

	snprintf(path, sizeof(path), ADMIN "/%u/%s", slot, file);
	return sys_write(path, text);
}

static int put_number(unsigned int slot, const char *file, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return put_text(slot, file, text);
}

#define CONTEXT "contexts/0/"
#define SCHEME CONTEXT "schemes/0/"
#define PATTERN SCHEME "access_pattern/"

static int make(unsigned int slot, pid_t pid)
{
	int err = put_number(slot, "contexts/nr_contexts", 1);

	if (!err)
		err = put_text(slot, CONTEXT "operations", "vaddr");
	if (!err)
		err = put_number(slot, CONTEXT "targets/nr_targets", 1);
	if (!err)
		err = put_number(slot, CONTEXT "targets/0/pid_target", (uint64_t)pid);
	if (!err)
		err = put_number(slot, CONTEXT "schemes/nr_schemes", 1);
	if (!err)
		err = put_text(slot, SCHEME "action", "pageout");
	if (!err)
		err = put_number(slot, PATTERN "sz/min", sys_page_size());
	if (!err)
		err = put_number(slot, PATTERN "sz/max", UINT64_MAX >> 1);
	if (!err)
		err = put_number(slot, PATTERN "age/max", UINT32_MAX);
	return err;
}

static int tune(unsigned int slot, uint64_t window_us, bool periodic)
{
	uint64_t sample_us = window_us / SAMPLES;
	int err;

	if (sample_us < SAMPLE_LEAST_US)
		sample_us = SAMPLE_LEAST_US;
	if (window_us < sample_us)
		window_us = sample_us;
	err = put_number(slot, CONTEXT "monitoring_attrs/intervals/sample_us", sample_us);
	if (!err)
		err = put_number(slot, CONTEXT "monitoring_attrs/intervals/aggr_us", window_us);
	if (!err)
		err = put_number(slot, CONTEXT "monitoring_attrs/intervals/update_us", window_us);
	/* Algorithm 2, lines 14 to 21. */
	if (!err)
		err = put_number(slot, PATTERN "nr_accesses/min", periodic ? 1 : 0);
	if (!err)
		err = put_number(slot, PATTERN "nr_accesses/max", periodic ? UINT32_MAX : 1);
	return err;
}

/**
 * damon_aim() - page out by the rule of the paper
 * @slot: less than DAMON_SLOTS, one for each process
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

	if (on[slot] != pid)
		damon_stop(slot);
	if (!on[slot])
		err = make(slot, pid);
	if (!err)
		err = tune(slot, window_us, periodic);
	if (err)
		return err;
	if (on[slot] && !put_text(slot, "state", "commit"))
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
	if (on[slot])
		put_text(slot, "state", "off");
	on[slot] = 0;
}
