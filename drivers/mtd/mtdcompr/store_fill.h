/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages that are one word over and over, most of them zeros.
 *
 * A word has 64 bits on every machine: a 32-bit program fills memory with one 32-bit word,
 * and such a page is one 64-bit word, too.
 */
#ifndef MTDC_STORE_FILL_H
#define MTDC_STORE_FILL_H

#include <linux/string.h>
#include <linux/types.h>

/**
 * mtdc_fill_detect() - is this page one word over and over?
 * @page: the page, aligned for a u64
 * @bytes: its length, a multiple of 8
 * @word: the word, if it is
 *
 * Context: any.
 * Return: true if it is.
 */
static inline bool mtdc_fill_detect(const void *page, u32 bytes, u64 *word)
{
	const u64 *words = page;
	u32 n = bytes / sizeof(u64), i;
	u64 first = words[0];

	/* Most pages that differ at all differ at their end (zram). */
	if (first != words[n - 1])
		return false;
	/* Four words a branch: in the cache half of the time of one (make bench-native). */
	for (i = 0; i + 4 <= n; i += 4)
		if ((words[i] ^ first) | (words[i + 1] ^ first) |
		    (words[i + 2] ^ first) | (words[i + 3] ^ first))
			return false;
	for (; i < n; i++)
		if (words[i] != first)
			return false;
	*word = first;
	return true;
}

/**
 * mtdc_fill_expand() - make a page of one word
 * @page: the page, aligned for a u64
 * @bytes: its length, a multiple of 8
 * @word: the word
 *
 * Context: any.
 */
static inline void mtdc_fill_expand(void *page, u32 bytes, u64 word)
{
	memset64(page, word, bytes / sizeof(u64));
}

#endif /* MTDC_STORE_FILL_H */
