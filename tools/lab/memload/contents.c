// SPDX-License-Identifier: GPL-2.0
/*
 * Writes and checks contents of pages.
 */
#include <string.h>
#include "contents.h"
#include "sequence.h"

/* As in the thesis' program: percent of random bytes, and the constant byte after them. */
#define RANDOM_PERCENT 30
#define CONSTANT 1

#define SEED 1
#define WORD sizeof(uint64_t)

/* contents_sample() checks the first random words, because each follows from the one before, */
#define RANDOM_WORDS 4U
/* and some constant words at equal distances. */
#define CONSTANT_WORDS 3U

static size_t random_bytes(size_t bytes)
{
	return bytes * RANDOM_PERCENT / 100 / WORD * WORD;
}

/**
 * contents_fill() - write a page
 * @page: the page
 * @bytes: its size, a multiple of 8, at most CONTENTS_MOST
 * @nr: its number
 * @version: version of its contents
 */
void contents_fill(uint8_t *page, size_t bytes, uint64_t nr, uint64_t version)
{
	size_t random = random_bytes(bytes), at;
	struct sequence sequence;

	sequence_begin(&sequence, SEED, nr, version);
	for (at = 0; at < random; at += WORD) {
		uint64_t word = sequence_next(&sequence);

		memcpy(page + at, &word, WORD);
	}
	memset(page + random, CONSTANT, bytes - random);
	page[bytes - 1] = (uint8_t)version;
}

static bool is_same(const uint8_t *page, size_t at, const uint8_t *want, size_t bytes,
		    struct contents_wrong *wrong)
{
	size_t i = 0;

	if (!memcmp(page + at, want, bytes))
		return true;
	while (page[at + i] == want[i])
		i++;
	*wrong = (struct contents_wrong){ at + i, want[i], page[at + i] };
	return false;
}

/**
 * contents_check() - compare all bytes of a page
 * @page: the page
 * @bytes: its size
 * @nr: its number
 * @version: version of its contents
 * @wrong: first wrong byte
 *
 * Return: false, with @wrong set, if a byte differs from contents_fill().
 */
bool contents_check(const uint8_t *page, size_t bytes, uint64_t nr, uint64_t version,
		    struct contents_wrong *wrong)
{
	static uint8_t want[CONTENTS_MOST];

	contents_fill(want, bytes, nr, version);
	return is_same(page, 0, want, bytes, wrong);
}

/**
 * contents_sample() - compare eight words of a page; fast enough for timed code
 * @page: the page
 * @bytes: its size
 * @nr: its number
 * @version: version of its contents
 * @wrong: first wrong byte of these words
 *
 * Return: false, with @wrong set, if one of the words is wrong.
 */
bool contents_sample(const uint8_t *page, size_t bytes, uint64_t nr, uint64_t version,
		     struct contents_wrong *wrong)
{
	size_t first = random_bytes(bytes), last = bytes - WORD, i;
	size_t gap = (last - first) / WORD / CONSTANT_WORDS * WORD;
	struct sequence sequence;
	uint8_t want[WORD];
	uint64_t word;

	sequence_begin(&sequence, SEED, nr, version);
	for (i = 0; i < RANDOM_WORDS; i++) {
		word = sequence_next(&sequence);
		memcpy(want, &word, WORD);
		if (!is_same(page, i * WORD, want, WORD, wrong))
			return false;
	}
	memset(want, CONSTANT, WORD);
	for (i = 0; i < CONSTANT_WORDS; i++)
		if (!is_same(page, first + i * gap, want, WORD, wrong))
			return false;
	want[WORD - 1] = (uint8_t)version;
	return is_same(page, last, want, WORD, wrong);
}
