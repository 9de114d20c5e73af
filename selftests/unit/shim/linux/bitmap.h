/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BITMAP_H
#define SHIM_LINUX_BITMAP_H

#include <linux/bitops.h>

#define BITMAP_FIRST_WORD_MASK(start) (~0UL << ((start) % BITS_PER_LONG))
#define BITMAP_LAST_WORD_MASK(n) (~0UL >> (-(n) % BITS_PER_LONG))

/* As in the kernel the length is an int: one that is negative there does nothing. */
static inline void bitmap_set(unsigned long *bits, unsigned int at, int n)
{
	for (; n > 0; n--, at++)
		bits[at / BITS_PER_LONG] |= 1UL << (at % BITS_PER_LONG);
}

static inline void bitmap_clear(unsigned long *bits, unsigned int at, int n)
{
	for (; n > 0; n--, at++)
		bits[at / BITS_PER_LONG] &= ~(1UL << (at % BITS_PER_LONG));
}

#endif
