/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MODULE_H
#define SHIM_LINUX_MODULE_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/types.h>

/* Every symbol is found. The suite defines the counter, and checks that each symbol was put. */
extern int shim_symbols;

#define symbol_get(name)	(shim_symbols++, &(name))
#define symbol_put(name)	((void)&(name), (void)shim_symbols--)

#define THIS_MODULE		NULL
#define EXPORT_SYMBOL(name)	struct shim_unused
#define EXPORT_SYMBOL_GPL(name)	struct shim_unused
#define MODULE_LICENSE(text)	struct shim_unused
#define MODULE_DESCRIPTION(text) struct shim_unused
#define MODULE_AUTHOR(text)	struct shim_unused
#define late_initcall(call)	int shim_module_init(void) { return call(); } \
				struct shim_unused
#define module_exit(call)	void shim_module_exit(void) { call(); } \
				struct shim_unused

int shim_module_init(void);
void shim_module_exit(void);

#endif
