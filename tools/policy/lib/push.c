// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "push.h"
#include "sys.h"

/**
 * push_begin() - begin with a process
 * @push: filled in; push_end() is needed
 * @id: the process
 * @advice: MADV_PAGEOUT or MADV_WILLNEED
 *
 * Return: 0, or a negative errno, as -ESRCH when it has ended.
 */
int push_begin(struct push *push, struct proc_id id, int advice)
{
	push->n = 0;
	push->advice = advice;
	push->pidfd = proc_open(id);
	return push->pidfd < 0 ? push->pidfd : 0;
}

static int flush(struct push *push)
{
	ssize_t done;

	if (!push->n)
		return 0;
	done = sys_process_madvise(push->pidfd, push->ranges, push->n, push->advice);
	push->n = 0;
	/* A mapping may be gone meanwhile, or of a kind that takes no advice. */
	return done == -ENOMEM || done == -EINVAL || done == -EAGAIN ? 0 :
	       done < 0 ? (int)done : 0;
}

/**
 * push_add() - one chunk more
 * @push: of push_begin()
 * @address: in the process
 * @bytes: of it
 *
 * What touches the last one is put together with it.
 *
 * Return: 0, or a negative errno.
 */
int push_add(struct push *push, uint64_t address, uint64_t bytes)
{
	struct iovec *last = push->n ? &push->ranges[push->n - 1] : NULL;

	if (last && (uintptr_t)last->iov_base + last->iov_len == address) {
		last->iov_len += (size_t)bytes;
		return 0;
	}
	if (push->n == PUSH_RANGES) {
		int err = flush(push);

		if (err)
			return err;
	}
	push->ranges[push->n].iov_base = (void *)(uintptr_t)address;
	push->ranges[push->n++].iov_len = (size_t)bytes;
	return 0;
}

/**
 * push_pages() - some pages of a chunk
 * @push: of push_begin()
 * @layout: where the process has its memory
 * @nr: number of the chunk
 * @bits: bit n: page n of it
 *
 * Return: how many these are.
 */
uint32_t push_pages(struct push *push, const struct layout *layout, uint32_t nr, uint32_t bits)
{
	uint64_t page_bytes = sys_page_size(), address = layout_address(layout, nr, page_bytes);
	uint32_t pages = (uint32_t)__builtin_popcount(bits);
	unsigned int at = 0, n;

	while (bits) {
		at += (unsigned int)__builtin_ctz(bits);
		bits = bits >> __builtin_ctz(bits);
		n = bits == UINT32_MAX ? 32 : (unsigned int)__builtin_ctz(~bits);
		push_add(push, address + at * page_bytes, n * page_bytes);
		at += n;
		bits = n < 32 ? bits >> n : 0;
	}
	return pages;
}

/**
 * push_end() - the rest, and the end
 * @push: of push_begin()
 *
 * Return: 0, or a negative errno.
 */
int push_end(struct push *push)
{
	int err = flush(push);

	close(push->pidfd);
	return err;
}
