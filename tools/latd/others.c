// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cgroup.h"
#include "level.h"
#include "log.h"
#include "others.h"
#include "share.h"
#include "undo.h"

/*
 * The largest groups, which together have this part of the others' memory, are limited and frozen.
 * The small ones are not worth the work.
 */
#define LARGEST_PERMILLE 900

struct other {
	char path[PATHS_LONGEST];
	bool seen;			/* by the pass that goes on, or was the last one */
	bool noted;			/* memory.high is in the list of changes */
	bool frozen;
	uint64_t have;			/* memory.current */
	uint64_t cap;			/* memory.high before latd */
	uint64_t limit;			/* that was asked for; 0: none */
	uint64_t weight;		/* what was written to cpu.weight; 0: nothing */
};

static struct {
	unsigned int weight;		/* cpu.weight; 0: left alone */
	unsigned int n;
	struct other list[OTHERS_MAX];
	uid_t users[OTHERS_MAX];	/* of a process in each */
	uint64_t have[OTHERS_MAX];	/* as level.h wants it */
} all;

/**
 * others_setup() - from now on; groups that are there stay
 * @weight: cpu.weight of all groups together; 0: it is left alone
 */
void others_setup(unsigned int weight)
{
	unsigned int i;

	all.weight = weight;
	for (i = 0; !weight && i < all.n; i++) {
		undo_rewrite_group(all.list[i].path, "cpu.weight");
		all.list[i].weight = 0;
	}
}

static struct other *find(const char *path)
{
	unsigned int i;

	for (i = 0; i < all.n; i++)
		if (!strcmp(all.list[i].path, path))
			return &all.list[i];
	return NULL;
}

static void let_go(struct other *other)
{
	slow_forget(other->path);
	undo_rewrite_group(other->path, "cgroup.freeze");
	undo_rewrite_group(other->path, "memory.high");
	undo_rewrite_group(other->path, "cpu.weight");
}

/* weigh() - the weight is that of all groups together; other programs may write it, too */
static void weigh(struct other *other)
{
	char path[SYS_PATH];

	if (all.weight && !cgroup_file(path, other->path, "cpu.weight"))
		undo_hold(path, all.weight > all.n ? all.weight / all.n : 1, &other->weight);
}

/**
 * others_begin() - a pass over all processes begins
 */
void others_begin(void)
{
	unsigned int i;

	for (i = 0; i < all.n; i++)
		all.list[i].seen = false;
}

/**
 * others_note() - one of the others is in a group
 * @path: the topmost one that may be dealt with; shorter than PATHS_LONGEST
 * @user: of the process
 *
 * Return: false, if all places are taken, or the group has no memory controller.
 */
bool others_note(const char *path, uid_t user)
{
	struct other *other = find(path);
	int place = (int)all.n;

	if (other && other->seen)
		return true;
	/* Without the controller it has no limit; signals are left. */
	if (!cgroup_has(path, "memory.current"))
		return false;
	if (!other) {
		if (place == OTHERS_MAX)
			place = share_yields(all.users, OTHERS_MAX, user);
		if (place < 0)
			return false;
		other = &all.list[place];
		if (place < (int)all.n)
			let_go(other);
		else
			all.n++;
		memset(other, 0, sizeof(*other));
		strcpy(other->path, path);
		all.users[place] = user;
	}
	other->seen = true;
	/* It is written again, if it has changed by now. */
	other->limit = 0;
	return true;
}

static void remove_at(unsigned int at)
{
	let_go(&all.list[at]);
	all.n--;
	all.list[at] = all.list[all.n];
	all.users[at] = all.users[all.n];
}

/**
 * others_drop() - a protected program, or one that is never touched, is in a group
 * @path: the group; what holds it is none of the others' any more
 *
 * Return: true, if one of them held it.
 */
bool others_drop(const char *path)
{
	unsigned int i = 0, before = all.n;

	while (i < all.n) {
		if (cgroup_below(path, all.list[i].path))
			remove_at(i);
		else
			i++;
	}
	return all.n < before;
}

/**
 * others_end() - the pass is over: groups that were not seen are as before
 */
void others_end(void)
{
	unsigned int i = 0;

	while (i < all.n) {
		if (!all.list[i].seen)
			remove_at(i);
		else
			i++;
	}
	for (i = 0; i < all.n; i++)
		weigh(&all.list[i]);
}

/**
 * others_count() - how many groups there are
 */
unsigned int others_count(void)
{
	return all.n;
}

/**
 * others_read() - what they have
 * @bytes: filled in: of all together
 *
 * Return: false, if it is known of none.
 */
bool others_read(uint64_t *bytes)
{
	bool known = false;
	unsigned int i;

	*bytes = 0;
	for (i = 0; i < all.n; i++) {
		struct other *other = &all.list[i];

		if (cgroup_get(other->path, "memory.current", &other->have))
			other->have = 0;
		else
			known = true;
		*bytes += other->have;
	}
	return known;
}

/* gather() - what each has, for level.h; returns who belongs to the largest */
static uint64_t gather(void)
{
	unsigned int i;

	for (i = 0; i < all.n; i++)
		all.have[i] = all.list[i].have;
	return level_cover(all.have, all.n, LARGEST_PERMILLE);
}

/**
 * others_largest() - the group that has the most
 *
 * Return: its path, or NULL.
 */
const char *others_largest(void)
{
	const struct other *largest = NULL;
	unsigned int i;

	for (i = 0; i < all.n; i++)
		if (!largest || all.list[i].have > largest->have)
			largest = &all.list[i];
	return largest ? largest->path : NULL;
}

/* note() - now: the thread that sets limits later does not touch the list of changes */
static int note(struct other *other)
{
	char path[SYS_PATH];
	int err = cgroup_file(path, other->path, "memory.high");

	if (!err)
		err = sys_read_u64(path, &other->cap);
	if (!err)
		err = undo_note(path);
	other->noted = !err;
	return err;
}

static bool is_near(uint64_t one, uint64_t other)
{
	uint64_t more = one > other ? one - other : other - one;

	return more <= other / 256;
}

/**
 * others_divide() - the limit of each
 * @total: all together may have so much; UINT64_MAX: they are not limited
 * @limits: OTHERS_MAX; filled in
 *
 * If they have less than the total, each may take all of the rest. Small groups are not limited.
 *
 * Return: how many limits have to be written.
 */
unsigned int others_divide(uint64_t total, struct slow_group *limits)
{
	uint64_t largest = gather(), level = level_of(all.have, all.n, total), sum = 0;
	unsigned int i, n = 0;

	for (i = 0; i < all.n; i++)
		sum += all.have[i];
	for (i = 0; i < all.n; i++) {
		struct other *other = &all.list[i];
		uint64_t limit = UINT64_MAX;

		if (total != UINT64_MAX && (other->have >= largest || other->have > level))
			limit = total > sum ? other->have + (total - sum) : level;
		if (!other->noted && (limit == UINT64_MAX || note(other)))
			continue;
		if (limit > other->cap)
			limit = other->cap;
		if (other->limit && is_near(limit, other->limit))
			continue;
		other->limit = limit;
		strcpy(limits[n].path, other->path);
		limits[n].limit = limit;
		limits[n++].cap = other->cap;
	}
	return n;
}

/**
 * others_list() - all groups, for a push
 * @limits: OTHERS_MAX; the paths are filled in
 *
 * Return: their number.
 */
unsigned int others_list(struct slow_group *limits)
{
	unsigned int i;

	for (i = 0; i < all.n; i++) {
		memset(&limits[i], 0, sizeof(limits[i]));
		strcpy(limits[i].path, all.list[i].path);
	}
	return all.n;
}

/**
 * others_freeze() - freeze the largest of them
 *
 * Return: 0, or a negative errno of one that could not be frozen.
 */
int others_freeze(void)
{
	uint64_t largest = gather();
	char path[SYS_PATH];
	unsigned int i;
	int err, last = 0;

	for (i = 0; i < all.n; i++) {
		struct other *other = &all.list[i];

		if (other->have < largest || cgroup_file(path, other->path, "cgroup.freeze"))
			continue;
		err = undo_write(path, "1");
		other->frozen = !err;
		/* -ENODEV, -ENOENT: it is gone. */
		if (err && err != -ENODEV && err != -ENOENT)
			last = err;
	}
	return last;
}

/**
 * others_thaw() - let them go on
 *
 * Return: 0, or a negative errno of one that could not.
 */
int others_thaw(void)
{
	unsigned int i;
	int err, last = 0;

	for (i = 0; i < all.n; i++) {
		struct other *other = &all.list[i];

		if (!other->frozen)
			continue;
		err = undo_rewrite_group(other->path, "cgroup.freeze");
		other->frozen = err;
		if (err)
			last = err;
	}
	return last;
}

/**
 * others_close() - all of them as they were before
 */
void others_close(void)
{
	unsigned int i;

	for (i = 0; i < all.n; i++)
		let_go(&all.list[i]);
	memset(&all, 0, sizeof(all));
}
