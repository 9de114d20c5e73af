// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "cgroup.h"
#include "log.h"
#include "outside.h"
#include "push.h"
#include "sys.h"

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

/*
 * Bytes of a call, which does not take long; and parts of a heap at most, because a program may say
 * that it has the whole of its addresses, and nearly all of a large heap may be empty.
 */
#define CALL_BYTES (32ULL << 20)
#define PARTS 1024U

static bool is_frozen(pid_t pid)
{
	char group[SYS_PATH];

	/* Found once: a mount stays where it is. */
	if (!cgroup_mount()[0] && cgroup_find())
		return false;
	return !proc_cgroup(pid, group, sizeof(group)) && cgroup_frozen(group) > 0;
}

/**
 * outside_is_stopped() - can a program not answer?
 * @program: which one
 *
 * Return: is it stopped by a signal or a debugger, or frozen?
 */
bool outside_is_stopped(const struct program *program)
{
	struct proc_stat stat;

	if (proc_read(program->id.pid, &stat) || stat.start != program->id.start)
		return false;
	return stat.state == 'T' || stat.state == 't' || is_frozen(program->id.pid);
}

static uint64_t part_of(const struct heap *heap)
{
	uint64_t page = sys_page_size(), part = heap->bytes / PARTS / page * page + page;

	return part < CALL_BYTES ? CALL_BYTES : part;
}

/* take_part() - have the kernel take the next part; a negative errno: no more of this program */
static int take_part(struct program *program)
{
	struct outside *outside = &program->outside;
	uint64_t left = program->heap.bytes - outside->next, part = part_of(&program->heap);
	struct iovec range = {
		(void *)(uintptr_t)(program->heap.space + outside->next),
		(size_t)(left < part ? left : part),
	};
	int64_t done = push_ranges(program->id, &range, 1, MADV_PAGEOUT);

	outside->next += range.iov_len;
	/* A mapping may be gone, or locked: then the other parts can be taken. */
	return done < 0 && done != -ENOMEM && done != -EINVAL && done != -EAGAIN ? (int)done : 0;
}

/**
 * outside_take() - have the kernel take memory of a stopped program
 * @program: which one; it is forgotten if it is another one by now
 * @bytes: about as many
 * @until_us: of sys_now_us(); no part is begun after that
 *
 * It goes on where the last call ended. After the end of the heap, outside.done is true.
 *
 * Return: how many bytes less it has in memory.
 */
uint64_t outside_take(struct program *program, uint64_t bytes, uint64_t until_us)
{
	pid_t pid = program->id.pid;
	uint64_t before = proc_anonymous(pid), after = before;
	int err = 0;

	while (!program->outside.done && before - after < bytes && sys_now_us() < until_us) {
		if (!registry_check(program))
			break;
		err = take_part(program);
		if (err)
			log_debug("process %d, %s: its memory cannot be taken: %s", (int)pid,
				  program->heap.name, strerror(-err));
		program->outside.done = err || program->outside.next >= program->heap.bytes;
		after = proc_anonymous(pid);
		after = after < before ? after : before;
	}
	if (before > after)
		log_debug("process %d: it is stopped, %llu KiB are taken from outside", (int)pid,
			  (unsigned long long)(before - after) >> 10);
	return before - after;
}
