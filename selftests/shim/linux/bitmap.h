/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BITMAP_H
#define SHIM_LINUX_BITMAP_H

#include <linux/bitops.h>

#define BITMAP_FIRST_WORD_MASK(start) (~0UL << ((start) % BITS_PER_LONG))
#define BITMAP_LAST_WORD_MASK(n) (~0UL >> (-(n) % BITS_PER_LONG))

/* Number of bits from @at on that one step sets or clears: a whole word, or one bit. */
static inline int shim_bits_at_once(unsigned int at, int n)
{
	return at % BITS_PER_LONG || n < (int)BITS_PER_LONG ? 1 : BITS_PER_LONG;
}

/* As in the kernel the length is an int: one that is negative there does nothing. */
static inline void bitmap_set(unsigned long *bits, unsigned int at, int n)
{
	int now;

	for (; n > 0; n -= now, at += now) {
		now = shim_bits_at_once(at, n);
		bits[at / BITS_PER_LONG] |= now > 1 ? ~0UL : 1UL << (at % BITS_PER_LONG);
	}
}

static inline void bitmap_clear(unsigned long *bits, unsigned int at, int n)
{
	int now;

	for (; n > 0; n -= now, at += now) {
		now = shim_bits_at_once(at, n);
		bits[at / BITS_PER_LONG] &= now > 1 ? 0 : ~(1UL << (at % BITS_PER_LONG));
	}
}

#endif
