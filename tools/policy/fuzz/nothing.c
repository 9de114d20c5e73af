// SPDX-License-Identifier: GPL-2.0
/*
 * What a daemon does to processes, for fuzz_control: nothing. The processes of the tree are not
 * those of this machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <sys/uio.h>

int __wrap_sys_pidfd_open(pid_t pid);
int __wrap_sys_pidfd_signal(int pidfd, int sig);
ssize_t __wrap_sys_process_madvise(int pidfd, const struct iovec *ranges, size_t n, int advice);

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
