/* SPDX-License-Identifier: GPL-2.0 */
/* Before 6.19 there is no struct syscore, and the calls have no argument. */
#ifndef MTDC_COMPAT_LINUX_SYSCORE_OPS_H
#define MTDC_COMPAT_LINUX_SYSCORE_OPS_H

#include_next <linux/syscore_ops.h>

#ifdef COMPAT_SYSCORE_OPS

struct compat_syscore_ops {
	void (*shutdown)(void *data);
};

struct syscore {
	const struct compat_syscore_ops *ops;
};

/* The only one. */
static const struct syscore *compat_syscore;

static void compat_syscore_shutdown(void)
{
	compat_syscore->ops->shutdown(NULL);
}

static struct syscore_ops compat_ops = {
	.shutdown = compat_syscore_shutdown,
};

static inline void register_syscore(const struct syscore *syscore)
{
	compat_syscore = syscore;
	register_syscore_ops(&compat_ops);
}

static inline void unregister_syscore(const struct syscore *syscore)
{
	unregister_syscore_ops(&compat_ops);
}

#define syscore_ops	compat_syscore_ops

#endif

#endif /* MTDC_COMPAT_LINUX_SYSCORE_OPS_H */
