// SPDX-License-Identifier: GPL-2.0
/*
 * Two tables of control groups, and the pass over the processes that fills them.
 *
 * The groups of the protected programs (kept_*) have memory.min, and so have the slices above them:
 * the kernel honours a group's memory.min only as far as the groups above have one. With the mount
 * option memory_recursiveprot, the part of a slice's memory.min that its units do not claim
 * protects all of them. So a slice above a program gets the same memory.min as the program. If a
 * group has another program in it, too, memory.min is the size of the protected programs. It holds
 * for the group as a whole, so the other program gets a share of it.
 *
 * The groups of the others (others_*) are limited and frozen. Each is the topmost group without
 * protected programs and without programs that are never touched, in it and below it: a whole
 * slice, a unit inside a shared slice, or the group that latd makes.
 *
 * Other programs write the same files: systemd writes its own values at each daemon-reload, and a
 * unit that starts again has a new group. So latd reads all of them again at each look.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include "cgroup.h"
#include "conf.h"
#include "groups.h"
#include "log.h"
#include "pressure.h"
#include "rules.h"
#include "share.h"
#include "undo.h"

/* Until the next look a program may grow by an eighth and 1 MiB, which is 10 MiB/s. Guess. */
#define GROWTH 8
#define GROWTH_BYTES 0x100000ULL
/* A difference of less than this part of memory.min is not written. Guess: less than GROWTH. */
#define SAME 64
/* The same for memory.high, which has to be more exact: the reserve is 4 % of the memory. */
#define SAME_LIMIT 256
/*
 * The largest groups, which together have this part of the others' memory, are limited and frozen.
 * The small ones are not worth the work. Guess.
 */
#define LARGEST_PERMILLE 900
/* A program that has taken this much before it came into its group is logged: less is libraries. */
#define CHARGED_ELSEWHERE 0x100000ULL
/* Another program with this part of a protected group's memory is logged, */
#define LARGE_PART 8
/* up to this number. */
#define SAID_MAX 8

/* A group that protected programs are in, or that is above such a group. */
struct kept {
	char path[PATHS_LONGEST];
	bool own;			/* protected programs are in it, not only below it */
	bool seen;			/* by the pass that goes on, or was the last one */
	bool shared;			/* another program was in it in the last pass, */
	bool sharing;			/* or is, in the one that goes on */
	uint64_t min;			/* memory.min that latd wrote; 0: none */
	uint64_t base;			/* memory.min before */
	uint64_t weight;		/* cpu.weight that latd wrote; 0: none */
	uint64_t size;			/* bytes of its protected programs in memory and swap */
	uint64_t have;			/* bytes that are charged to it and kept */
	struct pressure pressure;
};

/* A group of the others. */
struct other {
	char path[PATHS_LONGEST];
	bool seen;			/* by the pass that goes on, or was the last one */
	bool noted;			/* memory.high is in the list of changes */
	bool frozen;
	uint64_t cap;			/* memory.high before latd */
	uint64_t limit;			/* that was asked for; 0: none */
	uint64_t weight;		/* cpu.weight that latd wrote; 0: none */
};

static struct {
	uint64_t bytes;			/* for all of them together; 0: none are kept */
	unsigned int weight;		/* cpu.weight; 0: left alone */
	unsigned int n;
	bool full;			/* too many groups, which was logged */
	struct kept list[KEPT_MAX];
} all_kept;

static struct {
	unsigned int weight;		/* cpu.weight of all together; 0: left alone */
	unsigned int n;
	struct other list[OTHERS_MAX];
	uid_t users[OTHERS_MAX];	/* of a process in each */
	uint64_t have[OTHERS_MAX];	/* memory.current of each */
} all_others;

static struct {
	bool on;
	bool made;			/* latd's two groups are there */
	struct paths apart;		/* groups that are left alone: of the last pass, */
	struct paths next;		/* and of the one that goes on */
	unsigned int said;
} groups;

/* enable_below() - enable a controller for the groups below one, until latd ends */
static int enable_below(const char *group, const char *controller)
{
	char path[SYS_PATH], text[256], on[32], off[32];
	ssize_t n;
	int err = cgroup_file(path, group, "cgroup.subtree_control");

	if (err)
		return err;
	n = sys_read(path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	text[strcspn(text, "\n")] = '\0';
	if (conf_list_has(text, controller))
		return 0;
	snprintf(on, sizeof(on), "+%s", controller);
	snprintf(off, sizeof(off), "-%s", controller);
	return undo_write_back(path, on, off);
}

/*
 * enable_above() - enable a controller for a group, in all groups above it. If that is refused, as
 * in a group with processes of its own, the group has no such controller.
 */
static void enable_above(const char *group, const char *controller)
{
	char above[SYS_PATH];
	const char *slash = group;
	int err = enable_below("/", controller);

	while (!err && (slash = strchr(slash + 1, '/'))) {
		snprintf(above, sizeof(above), "%.*s", (int)(slash - group), group);
		err = enable_below(above, controller);
	}
	if (err)
		log_debug("%s: no %s controller: %s", group, controller, strerror(-err));
}

/**
 * paths_add() - add a group. PURE.
 * @paths: the set
 * @path: the group; nothing happens, if it is in the set
 */
void paths_add(struct paths *paths, const char *path)
{
	size_t at, len = strlen(path) + 1;

	for (at = 0; at < paths->used; at += strlen(paths->text + at) + 1)
		if (!strcmp(paths->text + at, path))
			return;
	if (len > sizeof(paths->text) - paths->used) {
		paths->crowded = true;
		return;
	}
	memcpy(paths->text + paths->used, path, len);
	paths->used += len;
}

/* paths_below() - is a group of the set @group, or below it? True, where that is not known */
static bool paths_below(const struct paths *paths, const char *group)
{
	size_t at;

	for (at = 0; at < paths->used; at += strlen(paths->text + at) + 1)
		if (cgroup_below(paths->text + at, group))
			return true;
	return paths->crowded;
}

/**
 * paths_same() - are they the same groups, in the same order? PURE.
 * @one: a set
 * @other: another one
 */
bool paths_same(const struct paths *one, const struct paths *other)
{
	return one->used == other->used && one->crowded == other->crowded &&
	       !memcmp(one->text, other->text, one->used);
}

/**
 * paths_top() - the topmost group above a process that has no group of the set in it. PURE.
 * @paths: the set
 * @path: the group of the process
 * @top: filled in: @path, or a group above it
 *
 * Return: false without such a group: the process is in the root group or in a group of the set, or
 * its path is too long.
 */
bool paths_top(const struct paths *paths, const char *path, char top[PATHS_LONGEST])
{
	const char *end = path;

	while (*end == '/' && end[1]) {
		end += 1 + strcspn(end + 1, "/");
		if ((size_t)(end - path) >= PATHS_LONGEST)
			return false;
		memcpy(top, path, (size_t)(end - path));
		top[end - path] = '\0';
		if (!paths_below(paths, top))
			return true;
	}
	return false;
}

static struct kept *kept_find(const char *path)
{
	unsigned int i;

	for (i = 0; i < all_kept.n; i++)
		if (!strcmp(all_kept.list[i].path, path))
			return &all_kept.list[i];
	return NULL;
}

static struct kept *kept_add(const char *path)
{
	struct kept *kept = kept_find(path);

	if (!kept && all_kept.n < KEPT_MAX && strlen(path) < sizeof(kept->path)) {
		kept = &all_kept.list[all_kept.n++];
		memset(kept, 0, sizeof(*kept));
		strcpy(kept->path, path);
		kept->pressure.fd = -1;
		kept->pressure.trigger_fd = -1;
	}
	if (!kept && !all_kept.full) {
		all_kept.full = true;
		log_warn("%s: the memory of the programs in it is not kept: there are too many groups",
			 path);
	}
	if (kept)
		kept->seen = true;
	return kept;
}

/* kept_arm() - set the group's controllers and weight again, if another program has changed them */
static void kept_arm(struct kept *kept)
{
	char path[SYS_PATH];

	if (!cgroup_has(kept->path, "memory.min"))
		enable_above(kept->path, "memory");
	/* In a shared group a hog would profit from the weight, so leave the weight alone. */
	if (kept->shared) {
		undo_rewrite_group(kept->path, "cpu.weight");
		kept->weight = 0;
	}
	if (!all_kept.weight || kept->shared)
		return;
	if (!cgroup_has(kept->path, "cpu.weight"))
		enable_above(kept->path, "cpu");
	if (!cgroup_file(path, kept->path, "cpu.weight"))
		undo_hold(path, all_kept.weight, &kept->weight);
}

/* kept_note() - a protected program is in a group */
static void kept_note(const char *path, const struct candidate *process)
{
	char above[PATHS_LONGEST], *slash;
	struct kept *kept = kept_add(path);
	uint64_t swapped = 0;

	/* The size matters only beside another program. */
	if (kept && kept->shared) {
		proc_swapped(process->stat.pid, &swapped);
		kept->size += swapped + process->stat.rss * sys_page_size();
	}
	if (!kept || kept->own)
		return;
	kept->own = true;
	kept_arm(kept);
	if (kept->pressure.fd < 0 && all_kept.bytes)
		log_info("the memory of the protected programs in %s is kept", path);
	strcpy(above, path);
	while ((slash = strrchr(above, '/')) && slash != above) {
		*slash = '\0';
		kept_add(above);
	}
}

/* kept_let_go() - put the group's files back */
static void kept_let_go(struct kept *kept)
{
	pressure_close(&kept->pressure);
	undo_rewrite_group(kept->path, "memory.min");
	undo_rewrite_group(kept->path, "cpu.weight");
}

/* kept_end() - after a pass: give up groups without protected programs */
static void kept_end(void)
{
	unsigned int i = 0;

	while (i < all_kept.n) {
		struct kept *kept = &all_kept.list[i];

		if (kept->seen) {
			kept->shared = kept->sharing;
			i++;
			continue;
		}
		kept_let_go(kept);
		*kept = all_kept.list[--all_kept.n];
	}
	kept_update();
}

static uint64_t less(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

/* part() - cut @want in proportion, if all groups together want more than may be kept */
static uint64_t part(uint64_t want, uint64_t sum)
{
	return sum <= all_kept.bytes ? want :
		(uint64_t)((double)want / (double)sum * (double)all_kept.bytes);
}

static uint64_t wanted(const struct kept *kept)
{
	return kept->have + kept->have / GROWTH + GROWTH_BYTES;
}

/* set_min() - write memory.min, if it differs enough; true, if another program has written to it */
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

/* kept_below() - the kept memory of the groups below */
static uint64_t kept_below(const struct kept *above, uint64_t sum)
{
	uint64_t bytes = 0;
	unsigned int i;

	for (i = 0; i < all_kept.n; i++) {
		const struct kept *kept = &all_kept.list[i];

		if (kept->own && cgroup_below(kept->path, above->path))
			bytes += less(kept->have, part(wanted(kept), sum));
	}
	return bytes;
}

/**
 * kept_update() - read the memory of the groups of protected programs, and write memory.min
 *
 * Return: true, if another program has set one of the files: it may have changed the controllers
 * and weights, too.
 */
bool kept_update(void)
{
	bool changed = false;
	uint64_t sum = 0;
	unsigned int i;

	if (!all_kept.bytes)
		return false;
	for (i = 0; i < all_kept.n; i++) {
		struct kept *kept = &all_kept.list[i];

		if (!kept->own || cgroup_get(kept->path, "memory.current", &kept->have)) {
			kept->have = 0;
			continue;
		}
		if (kept->shared && kept->size)
			kept->have = less(kept->have, kept->size);
		sum += wanted(kept);
	}
	for (i = 0; i < all_kept.n; i++) {
		struct kept *kept = &all_kept.list[i];
		uint64_t want = kept->own ? part(wanted(kept), sum) : kept_below(kept, sum);

		changed |= set_min(kept, want);
	}
	return changed;
}

/**
 * kept_stalled() - how long protected programs have waited for memory since the last look
 * @some_us: filled in: microseconds, of the group that waited longest
 *
 * Return: false, if no group has a known pressure.
 */
bool kept_stalled(uint64_t *some_us)
{
	struct pressure_delta delta;
	char path[SYS_PATH];
	bool known = false;
	unsigned int i;

	*some_us = 0;
	for (i = 0; i < all_kept.n; i++) {
		struct kept *kept = &all_kept.list[i];
		struct pressure *pressure = &kept->pressure;
		int err;

		if (!kept->own)
			continue;
		err = pressure->fd < 0 ? -ENODEV : pressure_read(pressure, &delta);
		if (!err && delta.some_us > *some_us)
			*some_us = delta.some_us;
		/* The counter of a group that was made anew starts at zero. */
		if (err == -ENODEV)
			pressure_close(pressure);
		if (pressure->fd < 0 && !cgroup_file(path, kept->path, "memory.pressure"))
			pressure_open(pressure, path);
		known |= pressure->fd >= 0;
	}
	return known;
}

/**
 * kept_list() - the groups of protected programs
 * @text: filled in: their paths, with blanks between them
 * @size: of @text in bytes; paths that do not fit are left out
 *
 * Return: their number.
 */
int kept_list(char *text, size_t size)
{
	size_t have = 0;
	unsigned int i;
	int n = 0;

	text[0] = '\0';
	for (i = 0; i < all_kept.n; i++) {
		const char *path = all_kept.list[i].path;

		if (!all_kept.list[i].own)
			continue;
		n++;
		if (have + strlen(path) + 2 <= size)
			have += (size_t)sprintf(text + have, "%s%s", have ? " " : "", path);
	}
	return n;
}

static struct other *others_find(const char *path)
{
	unsigned int i;

	for (i = 0; i < all_others.n; i++)
		if (!strcmp(all_others.list[i].path, path))
			return &all_others.list[i];
	return NULL;
}

static void others_let_go(struct other *other)
{
	reclaim_forget(other->path);
	undo_rewrite_group(other->path, "cgroup.freeze");
	undo_rewrite_group(other->path, "memory.high");
	undo_rewrite_group(other->path, "cpu.weight");
}

/* others_weigh() - write the group's part of one shared weight, also after another program did */
static void others_weigh(struct other *other)
{
	unsigned int weight = all_others.weight;
	char path[SYS_PATH];

	if (weight && !cgroup_file(path, other->path, "cpu.weight"))
		undo_hold(path, weight > all_others.n ? weight / all_others.n : 1, &other->weight);
}

/*
 * others_note() - note a group with a program of the others; @path is the topmost group that may be
 * limited. False, if all places are taken, or the group has no memory controller.
 */
static bool others_note(const char *path, uid_t user)
{
	struct other *other = others_find(path);
	int place = (int)all_others.n;

	if (other && other->seen)
		return true;
	/* Without the controller it cannot be limited; signals still stop its programs. */
	if (!cgroup_has(path, "memory.current"))
		return false;
	if (!other) {
		if (place == OTHERS_MAX)
			place = share_yields(all_others.users, OTHERS_MAX, user);
		if (place < 0)
			return false;
		other = &all_others.list[place];
		if (place < (int)all_others.n)
			others_let_go(other);
		else
			all_others.n++;
		memset(other, 0, sizeof(*other));
		strcpy(other->path, path);
		all_others.users[place] = user;
		all_others.have[place] = 0;
	}
	other->seen = true;
	/* Another program may have changed the file, so write it again. */
	other->limit = 0;
	return true;
}

/*
 * others_drop() - give up groups that hold the group @apart, or groups that the pass has not seen
 * (NULL), and put their files back. True, if there was one.
 */
static bool others_drop(const char *apart)
{
	unsigned int i = 0, before = all_others.n;

	while (i < all_others.n) {
		struct other *other = &all_others.list[i];

		if (apart ? !cgroup_below(apart, other->path) : other->seen) {
			i++;
			continue;
		}
		others_let_go(other);
		all_others.n--;
		*other = all_others.list[all_others.n];
		all_others.users[i] = all_others.users[all_others.n];
		all_others.have[i] = all_others.have[all_others.n];
	}
	return all_others.n < before;
}

/** others_count() - how many groups of the others there are */
unsigned int others_count(void)
{
	return all_others.n;
}

/**
 * others_read() - read the memory of each group of the others
 * @bytes: filled in: the sum
 *
 * Return: false, if no group's memory could be read.
 */
bool others_read(uint64_t *bytes)
{
	bool known = false;
	unsigned int i;

	*bytes = 0;
	for (i = 0; i < all_others.n; i++) {
		uint64_t *have = &all_others.have[i];

		if (cgroup_get(all_others.list[i].path, "memory.current", have))
			*have = 0;
		else
			known = true;
		*bytes += *have;
	}
	return known;
}

/* others_large() - the least size of a group that is limited */
static uint64_t others_large(void)
{
	return least_of_largest(all_others.have, all_others.n, LARGEST_PERMILLE);
}

/**
 * others_largest() - the group that had the most at the last others_read()
 *
 * Return: its path, or NULL.
 */
const char *others_largest(void)
{
	unsigned int i, largest = 0;

	for (i = 1; i < all_others.n; i++)
		if (all_others.have[i] > all_others.have[largest])
			largest = i;
	return all_others.n ? all_others.list[largest].path : NULL;
}

/* others_save() - note memory.high for undo; the thread that sets limits later must not do so */
static int others_save(struct other *other)
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

	return more <= other / SAME_LIMIT;
}

/**
 * others_divide() - divide a total limit among the groups of the others
 * @total: bytes for all together; UINT64_MAX: no limit
 * @set: called for each limit that has to be written
 *
 * If they have less than the total, each may grow by all of the rest. Small groups are not limited.
 */
void others_divide(uint64_t total, void (*set)(const struct group_limit *limit))
{
	uint64_t large = others_large(), sum = 0;
	uint64_t share = fair_share(all_others.have, all_others.n, total);
	struct group_limit wanted;
	unsigned int i;

	for (i = 0; i < all_others.n; i++)
		sum += all_others.have[i];
	for (i = 0; i < all_others.n; i++) {
		struct other *other = &all_others.list[i];
		uint64_t have = all_others.have[i], limit = UINT64_MAX;

		if (total != UINT64_MAX && (have >= large || have > share))
			limit = total > sum ? have + (total - sum) : share;
		if (!other->noted && (limit == UINT64_MAX || others_save(other)))
			continue;
		if (limit > other->cap)
			limit = other->cap;
		if (other->limit && is_near(limit, other->limit))
			continue;
		other->limit = limit;
		strcpy(wanted.path, other->path);
		wanted.limit = limit;
		wanted.cap = other->cap;
		set(&wanted);
	}
}

/**
 * others_freeze() - freeze the largest groups of the others, or continue all
 * @freeze: freeze
 *
 * Return: 0, or a negative errno of the last that could not.
 */
int others_freeze(bool freeze)
{
	uint64_t large = others_large();
	char path[SYS_PATH];
	unsigned int i;
	int err, last = 0;

	for (i = 0; i < all_others.n; i++) {
		struct other *other = &all_others.list[i];

		if (freeze ? all_others.have[i] < large : !other->frozen)
			continue;
		if (cgroup_file(path, other->path, "cgroup.freeze"))
			continue;
		err = freeze ? undo_write(path, "1") : undo_rewrite(path);
		other->frozen = freeze == !err;
		/* A group that is gone need not be frozen. */
		if (err && !(freeze && (err == -ENODEV || err == -ENOENT)))
			last = err;
	}
	return last;
}

static void remove_ours(void)
{
	groups.made = false;
	undo_remove_group(GROUP_OTHERS);
	undo_remove_group(GROUP_APP);
}

static int make_ours(void)
{
	int err = undo_make_group(GROUP_APP);

	if (!err)
		err = undo_make_group(GROUP_OTHERS);
	if (!err && !cgroup_has(GROUP_APP, "memory.min"))
		err = -ENOENT;
	groups.made = !err;
	return err;
}

/* say_empty() - log groups of the configuration without programs */
static void say_empty(const char *list)
{
	char name[PATHS_LONGEST], path[SYS_PATH], text[256];
	uint64_t populated;
	int n;

	while (sscanf(list, "%255s%n", name, &n) == 1) {
		if (cgroup_file(path, name, "cgroup.events") ||
		    sys_read(path, text, sizeof(text)) <= 0)
			log_warn("%s: there is no such group", name);
		else if (parse_key(text, "populated", &populated) && !populated)
			log_warn("%s: no program is in this group", name);
		list += n;
	}
}

/* stop_unwanted() - put back the files that a new configuration leaves alone */
static void stop_unwanted(void)
{
	unsigned int i;

	for (i = 0; i < all_kept.n; i++) {
		struct kept *kept = &all_kept.list[i];

		if (!all_kept.bytes) {
			undo_rewrite_group(kept->path, "memory.min");
			kept->min = 0;
		}
		if (!all_kept.weight) {
			undo_rewrite_group(kept->path, "cpu.weight");
			kept->weight = 0;
		}
	}
	for (i = 0; !all_others.weight && i < all_others.n; i++) {
		undo_rewrite_group(all_others.list[i].path, "cpu.weight");
		all_others.list[i].weight = 0;
	}
}

/**
 * group_setup() - make the groups, or find the manager's; groups that are there stay
 * @config: the configuration
 * @total_bytes: memory of the system
 *
 * Return: 0; -ENOENT without cgroup v2, or if v1 has the memory controller; or another negative
 * errno. After an error no groups are used.
 */
int group_setup(const struct config *config, uint64_t total_bytes)
{
	bool keeps = config->mode == MODE_AUTO || config->mode == MODE_FREEZE;
	bool weighs = config->mode == MODE_AUTO && config->protect.cpu_weight;
	int err = cgroup_mount()[0] ? enable_below("/", "memory") : -ENOENT, no_cpu;

	if (!err && config->protect.arrange)
		err = make_ours();
	else if (!err)
		remove_ours();
	if (err) {
		group_remove();
		return err;
	}
	no_cpu = weighs ? enable_below("/", "cpu") : 0;
	if (no_cpu)
		log_info("no processor weights: %s", strerror(-no_cpu));
	weighs = weighs && !no_cpu;
	all_kept.bytes = keeps ? config_kept(config, total_bytes) : 0;
	all_kept.weight = weighs ? config->protect.cpu_weight : 0;
	all_others.weight = weighs ? config->others.cpu_weight : 0;
	stop_unwanted();
	say_empty(config->others.touch.cgroup);
	groups.on = true;
	return 0;
}

/** group_pass_begin() - a pass over all processes begins */
void group_pass_begin(void)
{
	unsigned int i;

	groups.next.used = 0;
	groups.next.crowded = false;
	for (i = 0; i < all_kept.n; i++) {
		all_kept.list[i].seen = false;
		all_kept.list[i].own = false;
		all_kept.list[i].sharing = false;
		all_kept.list[i].size = 0;
	}
	for (i = 0; i < all_others.n; i++)
		all_others.list[i].seen = false;
}

/* is_free() - is it the root group or latd's, so that no manager has put the process there? */
static bool is_free(const char *group)
{
	return !strcmp(group, "/") || !strcmp(group, GROUP_APP) || !strcmp(group, GROUP_OTHERS);
}

/* say_moved() - log a move, and memory that stays charged to the old group */
static void say_moved(enum role role, const struct candidate *process, const char *to)
{
	uint64_t bytes = process->stat.rss * sys_page_size();

	/* If its first thread has ended, the kernel shows the old group, so each scan moves it. */
	log_line(process->stat.state == 'Z' ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO,
		 "%s[%d] is now in %s", process->stat.comm, process->stat.pid, to);
	if (role == ROLE_PROTECTED && bytes >= CHARGED_ELSEWHERE)
		log_warn("%s[%d] has taken up to %llu KiB before latd began: these are not kept; start it again to have all of its memory kept",
			 process->stat.comm, process->stat.pid, (unsigned long long)bytes >> 10);
}

/* arrange() - move a process to latd's group, unless a manager has placed it; returns its group */
static const char *arrange(enum role role, const struct candidate *process)
{
	const char *to = role == ROLE_PROTECTED ? GROUP_APP : GROUP_OTHERS;
	int err;

	if (!groups.made || role == ROLE_LEFT || !is_free(process->cgroup) ||
	    !strcmp(process->cgroup, to))
		return process->cgroup;
	err = cgroup_move(process->stat.pid, to);
	if (!err) {
		say_moved(role, process, to);
		return to;
	}
	if (err != -ESRCH)
		log_debug("%s[%d] cannot be moved to %s: %s", process->stat.comm,
			  process->stat.pid, to, strerror(-err));
	return process->cgroup;
}

/* note_shared() - note another program in a group of protected ones; log it, if it is large */
static void note_shared(const struct candidate *process, const char *path)
{
	uint64_t bytes = process->stat.rss * sys_page_size();
	struct kept *kept = kept_find(path);

	if (!kept)
		return;
	kept->sharing = true;
	if (!kept->own || !kept->have || bytes < kept->have / LARGE_PART || groups.said == SAID_MAX)
		return;
	groups.said++;
	log_warn("%s[%d] is in the group of protected programs, %s, and shares their memory: start it in a group or unit of its own",
		 process->stat.comm, process->stat.pid, path);
}

/* settle() - arrange a process and note its group; @apart: groups that are left alone */
static const char *settle(enum role role, const struct candidate *process, struct paths *apart)
{
	const char *path = arrange(role, process);

	if (role != ROLE_OTHER)
		paths_add(apart, path);
	if (role == ROLE_PROTECTED && strcmp(path, "/"))
		kept_note(path, process);
	return path;
}

/* has_no_group() - are no groups used, is the group unknown, or has the process ended? */
static bool has_no_group(const struct candidate *process)
{
	return !groups.on || !process->cgroup[0] || parse_has_ended(&process->stat);
}

/**
 * group_place() - arrange a process and note its group; for each process of a pass
 * @role: the role of the process
 * @process: the process
 *
 * Return: true, if it is in a group of the others; false, if only signals can stop it.
 */
bool group_place(enum role role, const struct candidate *process)
{
	char group[PATHS_LONGEST];
	const char *path;

	if (has_no_group(process))
		return false;
	path = settle(role, process, &groups.next);
	if (role != ROLE_OTHER)
		return false;
	/* Only a whole pass shows which groups are left alone. */
	if (groups.apart.used && paths_top(&groups.apart, path, group) &&
	    others_note(group, process->uid))
		return true;
	note_shared(process, path);
	return false;
}

/**
 * group_place_new() - the same for a new process, between two passes
 * @role: the role of the process
 * @process: the process
 *
 * Return: true, if the process must not be limited but was in a group of the others: the group's
 * files were put back, and the next pass finds other groups.
 */
bool group_place_new(enum role role, const struct candidate *process)
{
	const char *path;

	if (has_no_group(process))
		return false;
	path = settle(role, process, &groups.apart);
	return role != ROLE_OTHER && others_drop(path);
}

/**
 * group_pass_end() - the pass is over
 *
 * Return: true, if another one is needed: the groups that are left alone have changed.
 */
bool group_pass_end(void)
{
	bool same = paths_same(&groups.apart, &groups.next);
	unsigned int i;

	if (!groups.on)
		return false;
	if (groups.next.crowded && !groups.apart.crowded)
		log_warn("too many groups have programs that are not touched: the others are stopped by signals");
	/* Copy just the used bytes: static memory that is never touched takes no pages. */
	groups.apart.used = groups.next.used;
	groups.apart.crowded = groups.next.crowded;
	memcpy(groups.apart.text, groups.next.text, groups.next.used);
	kept_end();
	others_drop(NULL);
	for (i = 0; i < all_others.n; i++)
		others_weigh(&all_others.list[i]);
	return !same;
}

/** group_remove() - remove latd's groups; their processes go back to where they came from */
void group_remove(void)
{
	unsigned int i;

	for (i = 0; i < all_kept.n; i++)
		kept_let_go(&all_kept.list[i]);
	memset(&all_kept, 0, sizeof(all_kept));
	for (i = 0; i < all_others.n; i++)
		others_let_go(&all_others.list[i]);
	memset(&all_others, 0, sizeof(all_others));
	remove_ours();
	memset(&groups, 0, sizeof(groups));
}
