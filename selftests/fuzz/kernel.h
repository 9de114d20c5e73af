/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a fuzz target may ask of, and do to, the stand-in for the kernel.
 */
#ifndef FUZZ_KERNEL_H
#define FUZZ_KERNEL_H

#include <linux/types.h>

struct attribute_group;

extern struct shim_state {
	unsigned int allocated;		/* pieces of memory in use */
	unsigned int refused;		/* pieces that were refused */
	unsigned int refuse_after;	/* this one is to be refused, if not 0 */
	unsigned int messages;
	unsigned int errors;		/* messages of errors */
	u32 nonce;
	const struct attribute_group *attributes;	/* in sysfs */
} shim;

/* The section that holds what is __initdata, if anything is. */
extern char __start_shim_initdata[] __attribute__((weak));
extern char __stop_shim_initdata[] __attribute__((weak));

void shim_reset(u32 nonce);
bool shim_fails(void);
bool shim_work(void);

#endif /* FUZZ_KERNEL_H */
