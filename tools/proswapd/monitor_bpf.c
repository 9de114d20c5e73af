// SPDX-License-Identifier: GPL-2.0
/*
 * Swap-outs counted by a BPF program in the kernel (swapouts.bpf.c). It goes when its descriptors
 * are closed, so that nothing stays of a daemon that was killed.
 */
#ifdef HAVE_LIBBPF
#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "log.h"
#include "monitor_backend.h"
#include "swapouts.skel.h"
#include "sys.h"

/* Records that are read at a time. All of a bucket of the kernel's must fit. */
#define BATCH 256
#define TIDY_US 10000000u

static struct swapouts *skeleton;
static uint64_t tidied_us;

/* Called for each record; true: it is to be deleted. */
typedef bool (*visit_fn)(uint64_t key, const struct monitor_record *record, void *arg);

static int say(char *why, size_t size, int err, const char *what)
{
	snprintf(why, size, "%s: %s", what, strerror(-err));
	return err;
}

static int load(uint32_t pages, char *why, size_t size)
{
	int err;

	skeleton->rodata->page_shift = (unsigned int)__builtin_ctzll(sys_page_size());
	skeleton->rodata->every_mask = monitor_every() - 1;
	err = bpf_map__set_max_entries(skeleton->maps.swapouts, pages);
	if (!err)
		err = swapouts__load(skeleton);
	if (err == -EPERM || err == -EACCES)
		return say(why, size, err, "BPF takes root, or CAP_BPF and CAP_PERFMON");
	if (err)
		return say(why, size, err, "the kernel does not take it, CONFIG_MEMCG may be off");
	err = swapouts__attach(skeleton);
	if (err)
		return say(why, size, err, "no kprobe on try_to_unmap_one");
	return 0;
}

static int begin(uint32_t pages, char *why, size_t size)
{
	int err;

	if (!sys_exists("/sys/kernel/btf/vmlinux")) {
		snprintf(why, size, "the kernel is built without CONFIG_DEBUG_INFO_BTF");
		return -ENOENT;
	}
	/* The reason is said by us, in one line. */
	libbpf_set_print(NULL);
	skeleton = swapouts__open();
	if (!skeleton)
		return say(why, size, -errno, "the BPF program cannot be opened");
	err = load(pages, why, size);
	/* libbpf has read the kernel's description of itself, some MiB. */
	malloc_trim(0);
	return err;
}

static void end(void)
{
	swapouts__destroy(skeleton);
	skeleton = NULL;
}

static void take_batch(uint32_t count, const uint64_t *keys, const struct monitor_record *records,
		       visit_fn visit, void *arg)
{
	int fd = bpf_map__fd(skeleton->maps.swapouts);
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (records[i].count && visit(keys[i], &records[i], arg))
			bpf_map_delete_elem(fd, &keys[i]);
	}
}

/* visit_all() - piece by piece: there is no room for all at once */
static int visit_all(visit_fn visit, void *arg)
{
	static struct monitor_record records[BATCH];
	static uint64_t keys[BATCH];
	int fd = bpf_map__fd(skeleton->maps.swapouts), err;
	void *from = NULL;
	uint64_t position;

	do {
		uint32_t count = BATCH;

		err = bpf_map_lookup_batch(fd, from, &position, keys, records, &count, NULL);
		if (err && err != -ENOENT)
			return err;
		take_batch(count, keys, records, visit, arg);
		from = &position;
	} while (!err);
	return 0;
}

static int watch(unsigned int slot, struct proc_id id)
{
	uint32_t key = (uint32_t)id.pid;

	return bpf_map_update_elem(bpf_map__fd(skeleton->maps.watched), &key, &slot, BPF_ANY);
}

static bool is_of(uint64_t key, const struct monitor_record *record, void *arg)
{
	const unsigned int *slot = arg;

	(void)record;
	return key >> MONITOR_KEY_SHIFT == *slot;
}

static void forget(unsigned int slot, pid_t tgid)
{
	(void)tgid;
	visit_all(is_of, &slot);
}

static void unwatch(unsigned int slot, pid_t tgid)
{
	uint32_t key = (uint32_t)tgid;

	bpf_map_delete_elem(bpf_map__fd(skeleton->maps.watched), &key);
	forget(slot, tgid);
}

static bool is_old(uint64_t key, const struct monitor_record *record, void *arg)
{
	const uint64_t *now_us = arg;

	(void)key;
	return monitor_record_age(record, *now_us) >= MONITOR_OLD_TICKS;
}

/* make_room() - when the map is full */
static int make_room(void)
{
	uint64_t now_us = sys_now_us();
	int err;

	if (!skeleton->bss->full || now_us - tidied_us < TIDY_US)
		return 0;
	if (!tidied_us)
		log_info("swap-outs of more than %u pages: those of others are not counted",
			 bpf_map__max_entries(skeleton->maps.swapouts));
	tidied_us = now_us;
	err = visit_all(is_old, &now_us);
	skeleton->bss->full = 0;
	return err;
}

/* From a visit to a function of others. */
struct each {
	int n;
	monitor_record_fn fn;
	void *arg;
};

static bool each_visit(uint64_t key, const struct monitor_record *record, void *arg)
{
	struct each *each = arg;

	each->fn((unsigned int)(key >> MONITOR_KEY_SHIFT),
		 key & ((1ull << MONITOR_KEY_SHIFT) - 1), record, each->arg);
	each->n++;
	return false;
}

/* each_of_all() - in one walk through the map, however many processes there are */
static int each_of_all(monitor_record_fn fn, void *arg)
{
	struct each each = { 0, fn, arg };
	int err = visit_all(each_visit, &each);

	return err ? err : each.n;
}

const struct monitor_backend monitor_bpf = {
	.name = "bpf",
	.open = begin,
	.close = end,
	.watch = watch,
	.unwatch = unwatch,
	.forget = forget,
	.poll = make_room,
	.each = each_of_all,
};
#endif
