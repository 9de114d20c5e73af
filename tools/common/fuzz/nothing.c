// SPDX-License-Identifier: GPL-2.0
/*
 * What a daemon does to processes, for fuzz_control: nothing. The processes of the tree are not
 * those of this machine.
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
