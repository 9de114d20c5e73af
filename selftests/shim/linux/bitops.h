/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BITOPS_H
#define SHIM_LINUX_BITOPS_H

#include <linux/types.h>

#define BITS_PER_LONG	((unsigned int)(8 * sizeof(long)))
#define BITS_TO_LONGS(n) (((n) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
#define GENMASK_ULL(h, l) ((~0ULL << (l)) & (~0ULL >> (63 - (h))))

static inline unsigned int hweight8(unsigned int byte)
{
	return (unsigned int)__builtin_popcount(byte & 0xff);
}

static inline unsigned long __fls(unsigned long word)
{
	return BITS_PER_LONG - 1 - (unsigned int)__builtin_clzl(word);
}

static inline int fls64(u64 word)
{
	return word ? 64 - __builtin_clzll(word) : 0;
}

static inline unsigned long __ffs(unsigned long word)
{
	return (unsigned int)__builtin_ctzl(word);
}

static inline unsigned long __ffs64(u64 word)
{
	return (unsigned long)__builtin_ctzll(word);
}

static inline bool test_bit(unsigned long nr, const unsigned long *bits)
{
	return bits[nr / BITS_PER_LONG] >> (nr % BITS_PER_LONG) & 1;
}

static inline void __set_bit(unsigned long nr, unsigned long *bits)
{
	bits[nr / BITS_PER_LONG] |= 1UL << (nr % BITS_PER_LONG);
}

static inline bool test_and_set_bit(unsigned long nr, unsigned long *bits)
{
	bool was = test_bit(nr, bits);

	__set_bit(nr, bits);
	return was;
}

static inline void clear_bit(unsigned long nr, unsigned long *bits)
{
	bits[nr / BITS_PER_LONG] &= ~(1UL << (nr % BITS_PER_LONG));
}

static inline bool test_and_clear_bit(unsigned long nr, unsigned long *bits)
{
	bool was = test_bit(nr, bits);

	clear_bit(nr, bits);
	return was;
}

/* Tests need no speed, so it looks at one word at a time. */
static inline unsigned long shim_find(const unsigned long *bits,
				      unsigned long size, unsigned long at,
				      unsigned long invert)
{
	while (at < size) {
		unsigned long word = bits[at / BITS_PER_LONG] ^ invert;

		word &= ~0UL << (at % BITS_PER_LONG);
		at -= at % BITS_PER_LONG;
		if (word) {
			at += (unsigned int)__builtin_ctzl(word);
			return at < size ? at : size;
		}
		at += BITS_PER_LONG;
	}
	return size;
}

#define find_next_bit(bits, size, at)		shim_find(bits, size, at, 0)
#define find_first_bit(bits, size)		shim_find(bits, size, 0, 0)
#define find_next_zero_bit(bits, size, at)	shim_find(bits, size, at, ~0UL)

#endif
