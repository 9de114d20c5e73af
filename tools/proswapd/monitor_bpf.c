// SPDX-License-Identifier: GPL-2.0
/*
 * Swap-outs counted by a BPF program in the kernel (swapouts.bpf.c). It goes when its descriptors
 * are closed, so nothing stays of a daemon that is killed.
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

/* Records that one call reads: all of a bucket of the kernel's must fit. 6 KiB. */
#define BATCH 256
/* A full map is searched for old records each 10 s at most: a guess. */
#define TIDY_US 10000000u

static struct swapouts *skeleton;
static uint64_t tidied_us;

/* Called for each record; true: delete it. */
typedef bool (*visit_fn)(uint64_t key, const struct monitor_record *record, void *arg);

static int bpf_say(char *why, size_t size, int err, const char *what)
{
	snprintf(why, size, "%s: %s", what, strerror(-err));
	return err;
}

static int bpf_load(uint32_t pages, unsigned int every, char *why, size_t size)
{
	int err;

	skeleton->rodata->page_shift = (unsigned int)__builtin_ctzll(sys_page_size());
	skeleton->rodata->every_mask = every - 1;
	err = bpf_map__set_max_entries(skeleton->maps.swapouts, pages);
	if (!err)
		err = bpf_map__set_max_entries(skeleton->maps.watched, MONITOR_WATCHED);
	if (!err)
		err = swapouts__load(skeleton);
	if (err == -EPERM || err == -EACCES)
		return bpf_say(why, size, err, "BPF takes root, or CAP_BPF and CAP_PERFMON");
	if (err)
		return bpf_say(why, size, err, "the kernel does not take it, CONFIG_MEMCG may be off");
	err = swapouts__attach(skeleton);
	if (err)
		return bpf_say(why, size, err, "no kprobe on try_to_unmap_one");
	return 0;
}

static int bpf_open(uint32_t pages, unsigned int every, char *why, size_t size)
{
	int err;

	if (!sys_exists("/sys/kernel/btf/vmlinux")) {
		snprintf(why, size, "the kernel is built without CONFIG_DEBUG_INFO_BTF");
		return -ENOENT;
	}
	/* We log the reason, in one line. */
	libbpf_set_print(NULL);
	skeleton = swapouts__open();
	if (!skeleton)
		return bpf_say(why, size, -errno, "the BPF program cannot be opened");
	err = bpf_load(pages, every, why, size);
	/* libbpf has read the kernel's description of itself, some MiB. */
	malloc_trim(0);
	return err;
}

static void bpf_close(void)
{
	swapouts__destroy(skeleton);
	skeleton = NULL;
}

/* visit_all() - a batch at a time, because all records do not fit into this process */
static void visit_all(visit_fn visit, void *arg)
{
	static struct monitor_record records[BATCH];
	static uint64_t keys[BATCH];
	int fd = bpf_map__fd(skeleton->maps.swapouts), err;
	uint64_t position;
	void *from = NULL;
	uint32_t i, count;

	do {
		count = BATCH;
		err = bpf_map_lookup_batch(fd, from, &position, keys, records, &count, NULL);
		if (err && err != -ENOENT)
			return;
		for (i = 0; i < count; i++)
			if (records[i].count && visit(keys[i], &records[i], arg))
				bpf_map_delete_elem(fd, &keys[i]);
		from = &position;
	} while (!err);
}

static int bpf_watch(unsigned int slot, struct proc_id id)
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

static void bpf_forget(unsigned int slot)
{
	visit_all(is_of, &slot);
}

static void bpf_unwatch(unsigned int slot, pid_t tgid)
{
	uint32_t key = (uint32_t)tgid;

	bpf_map_delete_elem(bpf_map__fd(skeleton->maps.watched), &key);
	bpf_forget(slot);
}

static bool is_old_record(uint64_t key, const struct monitor_record *record, void *arg)
{
	const uint64_t *now_us = arg;

	(void)key;
	return monitor_record_age(record, *now_us) >= MONITOR_OLD_TICKS;
}

/* bpf_make_room() - when the map is full */
static void bpf_make_room(const bool *sleeps)
{
	uint64_t now_us = sys_now_us();

	(void)sleeps;
	if (!skeleton->bss->full || now_us - tidied_us < TIDY_US)
		return;
	if (!tidied_us)
		log_info("swap-outs of more than %u pages: those of others are not counted",
			 bpf_map__max_entries(skeleton->maps.swapouts));
	tidied_us = now_us;
	visit_all(is_old_record, &now_us);
	skeleton->bss->full = 0;
}

/* From a visit to a function of others. */
struct each {
	monitor_record_fn fn;
	void *arg;
};

static bool each_visit(uint64_t key, const struct monitor_record *record, void *arg)
{
	const struct each *each = arg;

	each->fn((unsigned int)(key >> MONITOR_KEY_SHIFT),
		 key & ((1ull << MONITOR_KEY_SHIFT) - 1), record, each->arg);
	return false;
}

/* bpf_each() - go through the map once, however many processes there are */
static void bpf_each(monitor_record_fn fn, void *arg)
{
	struct each each = { fn, arg };

	visit_all(each_visit, &each);
}

const struct monitor_backend monitor_bpf = {
	.open = bpf_open,
	.close = bpf_close,
	.watch = bpf_watch,
	.unwatch = bpf_unwatch,
	.forget = bpf_forget,
	.poll = bpf_make_room,
	.each = bpf_each,
};
#endif
