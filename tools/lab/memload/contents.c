// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <string.h>
#include "contents.h"
#include "sequence.h"

static size_t random_words(const struct contents *contents)
{
	return contents->page * contents->percent / 100 / sizeof(uint64_t);
}

/**
 * contents_random() - where the random bytes of a page end
 * @contents: the rule
 *
 * Return: the first byte after them.
 */
size_t contents_random(const struct contents *contents)
{
	return random_words(contents) * sizeof(uint64_t);
}

/**
 * contents_fill() - write a page
 * @contents: the rule
 * @nr: the page's number
 * @version: of its contents
 * @stamp: its last byte
 * @page: the page
 */
void contents_fill(const struct contents *contents, uint64_t nr, uint64_t version, uint8_t stamp,
		   uint8_t *page)
{
	size_t i, words = random_words(contents), done = contents_random(contents);
	struct sequence sequence;

	sequence_begin(&sequence, contents->seed, nr, version);
	for (i = 0; i < words; i++) {
		uint64_t word = sequence_next(&sequence);

		memcpy(page + i * sizeof(word), &word, sizeof(word));
	}
	memset(page + done, CONTENTS_CONSTANT, contents->page - done);
	page[contents->page - 1] = stamp;
}

static int wrong_at(struct contents_wrong *wrong, size_t byte, uint8_t want, uint8_t got)
{
	wrong->byte = byte;
	wrong->want = want;
	wrong->got = got;
	return -EIO;
}

/* The first byte that differs in some that do. */
static int find_wrong(struct contents_wrong *wrong, size_t first, const void *want,
		      const uint8_t *got)
{
	const uint8_t *bytes = want;
	size_t i;

	for (i = 0; bytes[i] == got[i];)
		i++;
	return wrong_at(wrong, first + i, bytes[i], got[i]);
}

/**
 * contents_check() - is a page as it was written?
 * @contents: the rule
 * @nr: the page's number
 * @version: of its contents
 * @stamp: its last byte
 * @page: the page
 * @wrong: what is wrong
 *
 * Return: 0; -EIO, if it is not.
 */
int contents_check(const struct contents *contents, uint64_t nr, uint64_t version, uint8_t stamp,
		   const uint8_t *page, struct contents_wrong *wrong)
{
	size_t i, last = contents->page - 1, words = random_words(contents);
	struct sequence sequence;

	sequence_begin(&sequence, contents->seed, nr, version);
	for (i = 0; i < words; i++) {
		uint64_t want = sequence_next(&sequence);
		size_t at = i * sizeof(want);

		/* The stamp is in the place of the last random byte, if all are random. */
		if (at + sizeof(want) > last)
			memcpy((uint8_t *)&want + sizeof(want) - 1, &stamp, 1);
		if (memcmp(&want, page + at, sizeof(want)))
			return find_wrong(wrong, at, &want, page + at);
	}
	for (i = contents_random(contents); i < last; i++)
		if (page[i] != CONTENTS_CONSTANT)
			return wrong_at(wrong, i, CONTENTS_CONSTANT, page[i]);
	if (page[last] != stamp)
		return wrong_at(wrong, last, stamp, page[last]);
	return 0;
}
