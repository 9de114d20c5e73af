/* SPDX-License-Identifier: GPL-2.0 */
/* Knobs and counters of the kernel's stand-in for fuzz targets. */
#ifndef FUZZ_KERNEL_H
#define FUZZ_KERNEL_H

#include <linux/types.h>

struct attribute_group;

extern struct shim_state {
	unsigned int allocated;		/* allocations in use */
	unsigned int refused;		/* allocations that were refused */
	unsigned int refuse_after;	/* if not 0: this allocation fails */
	unsigned int messages;
	unsigned int errors;		/* error messages */
	u32 nonce;
	u32 keys;			/* state of get_random_bytes() */
	const struct attribute_group *attributes;	/* in sysfs */
} shim;

/* The section of __initdata, if it exists. */
extern char __start_shim_initdata[] __attribute__((weak));
extern char __stop_shim_initdata[] __attribute__((weak));

void shim_reset(u32 nonce);
bool shim_fails(void);
bool shim_work(void);

#endif /* FUZZ_KERNEL_H */
