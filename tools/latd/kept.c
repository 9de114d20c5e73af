// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cgroup.h"
#include "enable.h"
#include "kept.h"
#include "log.h"
#include "paths.h"
#include "pressure.h"
#include "undo.h"

/* Until the next look a program may grow by an eighth of its memory and 1 MiB. */
#define GROWTH 8
#define GROWTH_BYTES 0x100000ULL
/* A difference of less than this part of the value is not written. */
#define SAME 64

struct kept {
	char path[PATHS_LONGEST];
	bool own;			/* protected programs are in it, not only below it */
	bool seen;			/* by the pass that goes on, or was the last one */
	bool shared;			/* another program was in it in the last pass, */
	bool sharing;			/* or is, in the one that goes on */
	uint64_t min;			/* what was written to memory.min; 0: nothing */
	uint64_t base;			/* what that had before */
	uint64_t weight;		/* what was written to cpu.weight; 0: nothing */
	uint64_t size;			/* bytes of its protected programs in memory and swap */
	uint64_t have;			/* bytes that are charged to it and kept */
	struct pressure pressure;
};

static struct {
	uint64_t bytes;			/* for all of them together; 0: none are kept */
	unsigned int weight;		/* cpu.weight; 0: left alone */
	unsigned int n;
	bool full;			/* said */
	struct kept list[KEPT_MAX];
} all;

/**
 * kept_setup() - from now on; groups that are there stay
 * @bytes: all together are kept so much at most; 0: nothing is kept
 * @weight: cpu.weight of the groups that protected programs are in; 0: it is left alone
 */
void kept_setup(uint64_t bytes, unsigned int weight)
{
	unsigned int i;

	all.bytes = bytes;
	all.weight = weight;
	for (i = 0; i < all.n; i++) {
		if (!bytes) {
			undo_rewrite_group(all.list[i].path, "memory.min");
			all.list[i].min = 0;
		}
		if (!weight) {
			undo_rewrite_group(all.list[i].path, "cpu.weight");
			all.list[i].weight = 0;
		}
	}
}

static struct kept *find(const char *path)
{
	unsigned int i;

	for (i = 0; i < all.n; i++)
		if (!strcmp(all.list[i].path, path))
			return &all.list[i];
	return NULL;
}

static struct kept *add(const char *path)
{
	struct kept *kept = find(path);

	if (!kept && all.n < KEPT_MAX && strlen(path) < sizeof(kept->path)) {
		kept = &all.list[all.n++];
		memset(kept, 0, sizeof(*kept));
		strcpy(kept->path, path);
		kept->pressure.fd = -1;
		kept->pressure.trigger_fd = -1;
	}
	if (!kept && !all.full) {
		all.full = true;
		log_warn("%s: the memory of the programs in it is not kept: there are too many groups",
			 path);
	}
	if (kept)
		kept->seen = true;
	return kept;
}

/**
 * kept_begin() - a pass over all processes begins
 */
void kept_begin(void)
{
	unsigned int i;

	for (i = 0; i < all.n; i++) {
		all.list[i].seen = false;
		all.list[i].own = false;
		all.list[i].sharing = false;
		all.list[i].size = 0;
	}
}

/* arm() - the controllers that the group needs, and its weight; others may take them away */
static void arm(struct kept *kept)
{
	char path[SYS_PATH];

	if (!cgroup_has(kept->path, "memory.min"))
		enable_above(kept->path, "memory");
	/* A hog would have its share of the weight, and latd could not keep up with it. */
	if (kept->shared) {
		undo_rewrite_group(kept->path, "cpu.weight");
		kept->weight = 0;
	}
	if (!all.weight || kept->shared)
		return;
	if (!cgroup_has(kept->path, "cpu.weight"))
		enable_above(kept->path, "cpu");
	if (!cgroup_file(path, kept->path, "cpu.weight"))
		undo_hold(path, all.weight, &kept->weight);
}

/**
 * kept_note() - a protected program is in a group
 * @path: the group; not the root
 * @bytes: its size, if kept_shared(); else ignored
 */
void kept_note(const char *path, uint64_t bytes)
{
	char above[PATHS_LONGEST], *slash;
	struct kept *kept = add(path);

	if (kept)
		kept->size += bytes;
	if (!kept || kept->own)
		return;
	kept->own = true;
	arm(kept);
	if (kept->pressure.fd < 0 && all.bytes)
		log_info("the memory of the protected programs in %s is kept", path);
	strcpy(above, path);
	while ((slash = strrchr(above, '/')) && slash != above) {
		*slash = '\0';
		add(above);
	}
}

/* let_go() - as it was before */
static void let_go(struct kept *kept)
{
	pressure_close(&kept->pressure);
	undo_rewrite_group(kept->path, "memory.min");
	undo_rewrite_group(kept->path, "cpu.weight");
}

/**
 * kept_end() - the pass is over: groups without protected programs are as before
 */
void kept_end(void)
{
	unsigned int i = 0;

	while (i < all.n) {
		if (all.list[i].seen) {
			all.list[i].shared = all.list[i].sharing;
			i++;
			continue;
		}
		let_go(&all.list[i]);
		all.list[i] = all.list[--all.n];
	}
	kept_hold();
}

static uint64_t less(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* part() - of what one wants, if all together want more than may be kept */
static uint64_t part(uint64_t want, uint64_t sum)
{
	return sum <= all.bytes ? want : (uint64_t)((double)want / (double)sum * (double)all.bytes);
}

static uint64_t wanted(const struct kept *kept)
{
	return kept->have + kept->have / GROWTH + GROWTH_BYTES;
}

/* set_min() - unless the file has nearly this value; true, if another program has written to it */
static bool set_min(struct kept *kept, uint64_t want)
{
	char path[SYS_PATH];
	uint64_t now;
	bool changed;
	int err;

	if (cgroup_file(path, kept->path, "memory.min") || sys_read_u64(path, &now))
		return false;
	changed = undo_seized(path, now, &kept->min);
	if (changed)
		log_info("memory.min of %s was set to %llu by another program: it is kept again",
			 kept->path, (unsigned long long)now);
	/* Never less than an administrator has set. */
	if (!kept->min)
		kept->base = now;
	want -= want % sys_page_size();
	if (want < kept->base)
		want = kept->base;
	if (kept->min && want < now + now / SAME + 1 && now < want + want / SAME + 1)
		return changed;
	err = want ? undo_write_u64(path, want) : undo_rewrite(path);
	kept->min = err ? 0 : want;
	if (err)
		log_debug("memory.min of %s was refused: %s", kept->path, strerror(-err));
	return changed;
}

/* below() - the kept memory of the groups below */
static uint64_t below(const struct kept *above, uint64_t sum)
{
	uint64_t bytes = 0;
	unsigned int i;

	for (i = 0; i < all.n; i++) {
		const struct kept *kept = &all.list[i];

		if (kept->own && cgroup_below(kept->path, above->path))
			bytes += less(kept->have, part(wanted(kept), sum));
	}
	return bytes;
}

/**
 * kept_hold() - look at what the groups have, and keep that
 *
 * Return: true, if another program has set one of the files: it may have changed the controllers
 * and weights, too.
 */
bool kept_hold(void)
{
	bool changed = false;
	uint64_t sum = 0;
	unsigned int i;

	if (!all.bytes)
		return false;
	for (i = 0; i < all.n; i++) {
		struct kept *kept = &all.list[i];

		if (!kept->own || cgroup_get(kept->path, "memory.current", &kept->have)) {
			kept->have = 0;
			continue;
		}
		if (kept->shared && kept->size)
			kept->have = less(kept->have, kept->size);
		sum += wanted(kept);
	}
	for (i = 0; i < all.n; i++) {
		struct kept *kept = &all.list[i];

		changed |= set_min(kept, kept->own ? part(wanted(kept), sum) : below(kept, sum));
	}
	return changed;
}

/**
 * kept_share() - one of the others is in a group
 * @path: the group
 *
 * Return: false, if no protected program is in it.
 */
bool kept_share(const char *path)
{
	struct kept *kept = find(path);

	if (kept)
		kept->sharing = true;
	return kept;
}

/**
 * kept_shared() - was one of the others in a group in the last pass?
 * @path: the group
 */
bool kept_shared(const char *path)
{
	const struct kept *kept = find(path);

	return kept && kept->shared;
}

/**
 * kept_bytes() - what a group of protected programs has
 * @path: the group
 *
 * Return: bytes; 0, if it is none.
 */
uint64_t kept_bytes(const char *path)
{
	const struct kept *kept = find(path);

	return kept && kept->own ? kept->have : 0;
}

/* stall_of() - since the last look; a group that was made anew begins at zero */
static bool stall_of(struct kept *kept, uint64_t *some_us)
{
	struct pressure_delta delta;
	char path[SYS_PATH];
	int err = kept->pressure.fd < 0 ? 0 : pressure_read(&kept->pressure, &delta);

	if (err == -ENODEV)
		pressure_close(&kept->pressure);
	else if (kept->pressure.fd >= 0 && !err)
		*some_us = delta.some_us;
	if (kept->pressure.fd < 0 && !cgroup_file(path, kept->path, "memory.pressure"))
		pressure_open(&kept->pressure, path);
	return kept->pressure.fd >= 0;
}

/**
 * kept_stalled() - for how long protected programs have waited for memory since the last look
 * @some_us: filled in: of the group that waited for the longest, microseconds
 *
 * Return: false, if it is not known of any.
 */
bool kept_stalled(uint64_t *some_us)
{
	bool known = false;
	unsigned int i;

	*some_us = 0;
	for (i = 0; i < all.n; i++) {
		uint64_t us = 0;

		if (!all.list[i].own)
			continue;
		known |= stall_of(&all.list[i], &us);
		if (us > *some_us)
			*some_us = us;
	}
	return known;
}

/**
 * kept_first() - a group of protected programs
 *
 * Return: its path, or NULL without one.
 */
const char *kept_first(void)
{
	unsigned int i;

	for (i = 0; i < all.n; i++)
		if (all.list[i].own)
			return all.list[i].path;
	return NULL;
}

/**
 * kept_list() - the groups of protected programs
 * @text: filled in: their paths, with blanks between them
 * @size: of @text in bytes; what does not fit is left out
 *
 * Return: their number.
 */
int kept_list(char *text, size_t size)
{
	size_t have = 0;
	unsigned int i;
	int n = 0;

	text[0] = '\0';
	for (i = 0; i < all.n; i++) {
		size_t len = strlen(all.list[i].path);

		if (!all.list[i].own)
			continue;
		n++;
		if (have + len + 2 > size)
			continue;
		have += (size_t)sprintf(text + have, "%s%s", have ? " " : "", all.list[i].path);
	}
	return n;
}

/**
 * kept_close() - all groups as they were before
 */
void kept_close(void)
{
	unsigned int i;

	for (i = 0; i < all.n; i++)
		let_go(&all.list[i]);
	memset(&all, 0, sizeof(all));
}
