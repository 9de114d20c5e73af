/* SPDX-License-Identifier: GPL-2.0 */
/* Messages are counted: each refusal has to have one. */
#ifndef SHIM_FUZZ_PRINTK_H
#define SHIM_FUZZ_PRINTK_H

#define KBUILD_MODNAME	"mtdcompr"

__attribute__((format(printf, 2, 3)))
void shim_printk(char level, const char *format, ...);

/* The libraries have no prefix. */
#ifndef pr_fmt
#define pr_fmt(fmt)	fmt
#endif
#define pr_err(format, ...)	shim_printk('e', pr_fmt(format), ##__VA_ARGS__)
#define pr_warn(format, ...)	shim_printk('w', pr_fmt(format), ##__VA_ARGS__)
#define pr_info(format, ...)	shim_printk('i', pr_fmt(format), ##__VA_ARGS__)
#define pr_debug(format, ...)	shim_printk('d', pr_fmt(format), ##__VA_ARGS__)
#define pr_notice_ratelimited	pr_info
#define pr_err_ratelimited	pr_err
#define pr_warn_ratelimited	pr_warn

#endif
