/* SPDX-License-Identifier: GPL-2.0 */
/* The machine never stops. */
#ifndef SHIM_LINUX_SYSCORE_OPS_H
#define SHIM_LINUX_SYSCORE_OPS_H

struct syscore_ops {
	void (*shutdown)(void *data);
};

struct syscore {
	const struct syscore_ops *ops;
};

#define register_syscore(syscore)	((void)(syscore))
#define unregister_syscore(syscore)	((void)(syscore))

#endif
