// SPDX-License-Identifier: GPL-2.0
/*
 * For fuzz_control: calls that act on processes do nothing here, because the ids of the tree may
 * belong to real processes of this machine.
 */
#include <errno.h>
#include <fcntl.h>
#include "wrap.h"

int __wrap_sys_pidfd_open(pid_t pid)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_sys_pidfd_signal(int pidfd, int sig)
{
	return 0;
}

ssize_t __wrap_sys_process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice)
{
	return -ESRCH;
}

int64_t __wrap_aside(struct proc_id id, aside_fn fn, void *arg, size_t size)
{
	return -EBUSY;
}
