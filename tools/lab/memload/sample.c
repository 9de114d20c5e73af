// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include "sample.h"
#include "sequence.h"

#define WORD		sizeof(uint64_t)

/* Of the random words the first ones, as each follows from the one before. */
#define RANDOMS		4U

/* Of the others some at equal distances; and the last word, which has the stamp. */
#define CONSTANTS	3U

static int compare(const uint8_t *page, size_t at, const void *want, struct contents_wrong *wrong)
{
	const uint8_t *bytes = want, *got = page + at;
	size_t i;

	if (memcmp(want, got, WORD) == 0)
		return 0;
	for (i = 0; bytes[i] == got[i];)
		i++;
	*wrong = (struct contents_wrong){ at + i, bytes[i], got[i] };
	return -EIO;
}

/* After the random bytes. Where all are random, there is only the stamp. */
static int check_constant(const struct contents *contents, uint8_t stamp, const uint8_t *page,
			  struct contents_wrong *wrong)
{
	size_t first = contents_random(contents), last = contents->page - WORD;
	size_t gap = first < last ? (last - first) / WORD / CONSTANTS * WORD : 0, at;
	uint8_t want[WORD];
	unsigned int i;

	memset(want, CONTENTS_CONSTANT, WORD);
	for (i = 0, at = first; i < CONSTANTS && at < last; i++, at += gap ? gap : WORD)
		if (compare(page, at, want, wrong))
			return -EIO;
	if (first > last)
		memcpy(want, page + last, WORD);
	want[WORD - 1] = stamp;
	return compare(page, last, want, wrong);
}

/**
 * sample_check() - are some words of a page as they were written?
 * @contents: the rule
 * @nr: the page's number
 * @version: of its contents
 * @stamp: its last byte
 * @page: the page
 * @wrong: what is wrong
 *
 * Return: 0; -EIO, if they are not.
 */
int sample_check(const struct contents *contents, uint64_t nr, uint64_t version, uint8_t stamp,
		 const uint8_t *page, struct contents_wrong *wrong)
{
	size_t end = contents_random(contents), at;
	struct sequence sequence;

	sequence_begin(&sequence, contents->seed, nr, version);
	for (at = 0; at < RANDOMS * WORD && at < end; at += WORD) {
		uint64_t want = sequence_next(&sequence);

		if (compare(page, at, &want, wrong))
			return -EIO;
	}
	return check_constant(contents, stamp, page, wrong);
}
