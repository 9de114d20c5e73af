/* SPDX-License-Identifier: GPL-2.0 */
/* Nobody listens, but the compiler looks at the arguments. */
#ifndef SHIM_LINUX_PRINTK_H
#define SHIM_LINUX_PRINTK_H

#define KBUILD_MODNAME	"mtdcompr"

static inline __attribute__((format(printf, 1, 2))) void shim_printk(const char *format, ...)
{
	(void)format;
}

#define pr_info(format, ...)		shim_printk(pr_fmt(format), ##__VA_ARGS__)
#define pr_warn(format, ...)		shim_printk(pr_fmt(format), ##__VA_ARGS__)
#define pr_warn_ratelimited(format, ...)	shim_printk(pr_fmt(format), ##__VA_ARGS__)
#define pr_err_ratelimited(format, ...)	shim_printk(pr_fmt(format), ##__VA_ARGS__)

#endif
