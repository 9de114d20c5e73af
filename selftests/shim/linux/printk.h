/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler checks the arguments. A program that defines shim_said() gets the messages;
 * elsewhere they are dropped.
 */
#ifndef SHIM_LINUX_PRINTK_H
#define SHIM_LINUX_PRINTK_H

#include <stdarg.h>

#define KBUILD_MODNAME	"mtdcompr"

void shim_said(char level, const char *format, va_list args) __attribute__((weak));

static inline __attribute__((format(printf, 2, 3)))
void shim_printk(char level, const char *format, ...)
{
	va_list args;

	if (!shim_said)
		return;
	va_start(args, format);
	shim_said(level, format, args);
	va_end(args);
}

/* The libraries have no prefix. */
#ifndef pr_fmt
#define pr_fmt(fmt)	fmt
#endif
#define pr_err(format, ...)	shim_printk('e', pr_fmt(format), ##__VA_ARGS__)
#define pr_warn(format, ...)	shim_printk('w', pr_fmt(format), ##__VA_ARGS__)
#define pr_info(format, ...)	shim_printk('i', pr_fmt(format), ##__VA_ARGS__)
#define pr_notice(format, ...)	shim_printk('i', pr_fmt(format), ##__VA_ARGS__)
#define pr_debug(format, ...)	shim_printk('d', pr_fmt(format), ##__VA_ARGS__)
#define pr_notice_ratelimited	pr_info
#define pr_err_ratelimited	pr_err
#define pr_warn_ratelimited	pr_warn

#endif
