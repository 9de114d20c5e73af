// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are one word over and over, most of them zeros.
 *
 * This unit knows memory. A word has 64 bits on every machine, so that a page
 * of one 32-bit word, which is what a 32-bit program fills memory with, is
 * found on all of them.
 */
#include <linux/string.h>

#include "store_fill.h"

/**
 * mtdc_fill_detect() - is this page one word over and over?
 * @page: the page, aligned for a u64
 * @bytes: its length, a multiple of 8
 * @word: the word, if it is
 *
 * Context: any.
 * Return: true if it is.
 */
bool mtdc_fill_detect(const void *page, u32 bytes, u64 *word)
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
void mtdc_fill_expand(void *page, u32 bytes, u64 word)
{
	memset64(page, word, bytes / sizeof(u64));
}
