// SPDX-License-Identifier: GPL-2.0
/*
 * Measures. Each look reads the pressure and /proc/meminfo. Figures that cost more (the swap, the
 * others' groups) are read when there is pressure, and once a second.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "cgroup.h"
#include "groups.h"
#include "log.h"
#include "measure.h"
#include "pressure.h"
#include "space.h"

/* Costly figures are read after so long at most. Guess. */
#define COSTLY_US 1000000
/*
 * The trigger: programs waited for this part of a window. The kernel checks ten times per window,
 * and wakes latd at most once. Every kernel takes half a second; less is allowed since Linux 6.5.
 */
#define TRIGGER_PART 50
static const unsigned int windows_us[] = { 50000, 500000 };

static struct pressure of_system = { -1, -1, 0, 0 };
static struct pressure of_others = { -1, -1, 0, 0 };
static int meminfo = -1;
static uint64_t costly_us;		/* when costly figures were read last */

/**
 * measure_open() - open the files that each look reads
 *
 * Return: 0; -ENOENT or -EOPNOTSUPP without pressure stall information; or another negative
 * errno.
 */
int measure_open(void)
{
	int err = pressure_open(&of_system, PRESSURE_MEMORY);
	unsigned int i;

	if (err)
		return err;
	meminfo = sys_open("/proc/meminfo", O_RDONLY);
	if (meminfo < 0)
		return meminfo;
	for (i = 0, err = -EINVAL; i < 2 && err == -EINVAL; i++)
		err = pressure_trigger(&of_system, PRESSURE_MEMORY,
				       windows_us[i] / TRIGGER_PART, windows_us[i]);
	if (err)
		log_info("no pressure trigger (%s): polling alone", strerror(-err));
	return 0;
}

/* pressure_of_largest() - the waits of the others' largest group, which may change between looks */
static void pressure_of_largest(uint64_t *some_us)
{
	static char known[PATHS_LONGEST];
	const char *group = others_largest();
	struct pressure_delta delta;
	char path[SYS_PATH];

	*some_us = 0;
	if (!group)
		return;
	if (strcmp(known, group) || of_others.fd < 0) {
		pressure_close(&of_others);
		strcpy(known, group);
		if (!cgroup_file(path, group, "memory.pressure"))
			pressure_open(&of_others, path);
		return;
	}
	if (pressure_read(&of_others, &delta))
		pressure_close(&of_others);
	else
		*some_us = delta.some_us;
}

/**
 * measure_trigger_fd() - the descriptor to poll for POLLPRI
 *
 * Return: a descriptor, or a negative number without a trigger.
 */
int measure_trigger_fd(void)
{
	return of_system.trigger_fd;
}

static int measure_memory(struct sample *sample)
{
	char text[4096];
	ssize_t n = sys_reread(meminfo, text, sizeof(text));

	if (n < 0)
		return (int)n;
	if (!parse_key(text, "MemTotal", &sample->total) ||
	    !parse_key(text, "MemFree", &sample->free) ||
	    !parse_key(text, "MemAvailable", &sample->available))
		return -EINVAL;
	sample->total <<= 10;
	sample->free <<= 10;
	sample->available <<= 10;
	return 0;
}

/*
 * measure_groups() - read the pressure of kept groups; the others' groups only if less than an
 * eighth of the memory is free, which no program takes between two looks, or if programs wait
 */
static void measure_groups(struct sample *sample)
{
	static uint64_t others_us;

	sample->app_group = kept_stalled(&sample->app_some_us);
	sample->others.known = false;
	if (!sample->some_us && sample->free > sample->total / 8 &&
	    sample->now_us - others_us < COSTLY_US)
		return;
	others_us = sample->now_us;
	sample->others.known = others_read(&sample->others.bytes);
	pressure_of_largest(&sample->others.some_us);
}

/* measure_swap() - the swap, and the bytes of protected programs in it */
static int measure_swap(struct sample *sample, const struct scan *scan)
{
	struct space space;
	unsigned int i;
	int err = space_read(&space);

	if (err)
		return err;
	sample->swap_total = space.total;
	sample->swap_left = space.left;
	sample->app_swapped = 0;
	for (i = 0; i < scan->n_protected; i++) {
		uint64_t bytes;

		if (!proc_swapped(scan->protected[i].pid, &bytes))
			sample->app_swapped += bytes;
	}
	return 0;
}

/**
 * measure_system() - read the figures
 * @sample: in: figures of the last look; out: of this look; goal and told stay
 * @scan: the last pass over the processes
 *
 * Return: 0, or a negative errno.
 */
int measure_system(struct sample *sample, const struct scan *scan)
{
	struct pressure_delta delta;
	uint64_t now_us;
	int err = pressure_read(&of_system, &delta);

	if (!err)
		err = measure_memory(sample);
	if (err)
		return err;
	now_us = sys_now_us();
	sample->elapsed_us = now_us - sample->now_us;
	sample->now_us = now_us;
	sample->some_us = delta.some_us;
	sample->full_us = delta.full_us;
	sample->victim = scan->n_others > 0;
	sample->protects = scan->n_protected > 0;
	sample->others.loose = scan->loose_bytes;
	measure_groups(sample);
	if (!delta.some_us && costly_us && sample->now_us - costly_us < COSTLY_US)
		return 0;
	costly_us = sample->now_us;
	return measure_swap(sample, scan);
}

/** measure_close() - undo measure_open() */
void measure_close(void)
{
	pressure_close(&of_system);
	pressure_close(&of_others);
	if (meminfo >= 0)
		close(meminfo);
	meminfo = -1;
}
