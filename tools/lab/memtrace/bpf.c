// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include "bpf.h"
#include "sys.h"

#ifdef HAVE_LIBBPF

/**
 * bpf_there() - does the kernel describe itself, so that programs for it can be loaded?
 *
 * Return: true; or false, and the reason was said.
 */
bool bpf_there(void)
{
	if (sys_exists("/sys/kernel/btf/vmlinux"))
		return true;
	warnx("no BPF: the kernel is built without CONFIG_DEBUG_INFO_BTF");
	return false;
}

#else

bool bpf_there(void)
{
	warnx("no BPF: this program is built without libbpf");
	return false;
}

int callsbpf_open(void)
{
	return bpf_there() ? 0 : -EOPNOTSUPP;
}

int callsbpf_read(struct cache_calls *calls)
{
	(void)calls;
	return -EOPNOTSUPP;
}

void callsbpf_close(void)
{
}

int blkbpf_open(void)
{
	return bpf_there() ? 0 : -EOPNOTSUPP;
}

int blkbpf_read(struct flights *flights, uint64_t *lost)
{
	(void)flights;
	(void)lost;
	return -EOPNOTSUPP;
}

void blkbpf_close(void)
{
}

#endif
