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
	u32 last = bytes / sizeof(u64) - 1;
	u32 i;

	/* Most pages that differ at all differ at their end (zram). */
	if (words[0] != words[last])
		return false;
	for (i = 1; i < last; i++)
		if (words[i] != words[0])
			return false;
	*word = words[0];
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
