/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MODULEPARAM_H
#define SHIM_LINUX_MODULEPARAM_H

struct kernel_param;

struct kernel_param_ops {
	int (*set)(const char *text, const struct kernel_param *kp);
};

#define module_param_cb(name, ops, arg, mode) \
	const struct kernel_param_ops *const shim_param_##name = (ops)
#define MODULE_PARM_DESC(name, text)	struct shim_unused

extern const struct kernel_param_ops *const shim_param_mtd;

#endif
