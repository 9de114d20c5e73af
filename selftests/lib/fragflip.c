// SPDX-License-Identifier: GPL-2.0
/*
 * Flips bits in the fragments of one page, field by field: `fragflip [-s SEED] [-k KIND] [-e EVERY]
 * UPPER LOWER PAGE GRANULE BYTES`.
 *
 * Writes PAGE to UPPER, and finds its fragments in the first BYTES bytes of LOWER, which are its
 * media: a fragment is where the bytes have changed and the header at the beginning of a granule
 * has the page's number. Then damages, one after the other, with a repair after each: each bit of
 * each header; each EVERYth bit of the payload, and all bits of its first and last byte; several
 * bits at once; a whole fragment, replaced by 0xff, by zeros, by the fragment of the version
 * before, or by another one of the chain. Each time PAGE must give EIO, and PAGE + 1 must be
 * unchanged. If PAGE uses no media, no damage may have an effect.
 *
 * Prints `fragments N header N payload N several N whole N eio N missed N wrong N other N`: the
 * number of damages by kind; then the number of reads that gave EIO, the right data in spite of a
 * damage, wrong data, or another error.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include "pattern.h"

#define HEADER		8
#define FRAGMENTS_MAX	64
/* After this many equal bytes, assume that the changed range has ended. */
#define GAP		16

static struct {
	uint32_t at;
	uint32_t len;
} fragment[FRAGMENTS_MAX];
static int nfragments;

static enum pat_kind kind;
static uint64_t seed = 1, page, rng;
static uint32_t granule, media_bytes;
static uint8_t *before, *media;
static int upper, lower;
static unsigned long eio, missed, wrong, other;

static void write_page(uint64_t which, enum pat_kind of, uint64_t gen)
{
	uint8_t data[PAT_PAGE];

	pat_page(data, of, seed, which, gen);
	if (pwrite(upper, data, PAT_PAGE, which * PAT_PAGE) != (ssize_t)PAT_PAGE)
		err(2, "write");
}

static void read_media(uint8_t *to)
{
	if (pread(lower, to, media_bytes, 0) != (ssize_t)media_bytes)
		err(2, "lower read");
}

static void write_media(uint32_t at, const uint8_t *from, uint32_t len)
{
	if (pwrite(lower, from, len, at) != (ssize_t)len)
		err(2, "lower write");
}

/* Return: 0: as written, 1: EIO, 2: anything else. */
static int read_page(uint64_t which, enum pat_kind of, uint64_t gen)
{
	uint8_t got[PAT_PAGE], want[PAT_PAGE];

	memset(got, 0xa5, sizeof(got));
	errno = 0;
	if (pread(upper, got, PAT_PAGE, which * PAT_PAGE) != (ssize_t)PAT_PAGE) {
		if (errno == EIO)
			return 1;
		other++;
		return 2;
	}
	pat_page(want, of, seed, which, gen);
	if (!memcmp(got, want, PAT_PAGE))
		return 0;
	wrong++;
	fprintf(stderr, "fragflip: page %llu has wrong data\n", (unsigned long long)which);
	return 2;
}

static void look(bool damaged)
{
	/*
	 * This read also evicts PAGE from the buffer of the page read last. If all of the media are
	 * flipped, PAGE + 1 may be damaged, too.
	 */
	if (read_page(page + 1, PAT_TEXT, 1) && nfragments)
		other++;
	switch (read_page(page, kind, 2)) {
	case 0:
		missed += damaged;
		break;
	case 1:
		eio++;
		other += !damaged;
		break;
	}
}

/* Replace @len bytes of the media at @at, check the pages, and repair. */
static void damage(uint32_t at, const uint8_t *bytes, uint32_t len)
{
	bool damaged = nfragments && memcmp(bytes, media + at, len);

	write_media(at, bytes, len);
	look(damaged);
	write_media(at, media + at, len);
}

static void flip(uint32_t at, unsigned int bit)
{
	uint8_t byte = media[at] ^ (uint8_t)(1u << bit);

	damage(at, &byte, 1);
}

static bool changed(uint32_t at, uint32_t len)
{
	for (; len && at < media_bytes; at++, len--)
		if (media[at] != before[at])
			return true;
	return false;
}

static bool is_header(uint32_t at)
{
	const uint8_t *p = media + at + 4;

	return at + HEADER <= media_bytes && changed(at, HEADER) &&
		(p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24) == page;
}

static void find_fragments(void)
{
	uint32_t at, end;

	nfragments = 0;
	for (at = 0; at + HEADER <= media_bytes; at += granule) {
		if (!is_header(at))
			continue;
		for (end = at + HEADER; changed(end, GAP); end++)
			if (end % granule == 0 && is_header(end))
				break;
		while (end > at + HEADER + 1 && media[end - 1] == before[end - 1])
			end--;
		if (nfragments == FRAGMENTS_MAX)
			break;
		fragment[nfragments].at = at;
		fragment[nfragments++].len = end - at;
		at += (end - at - 1) / granule * granule;
	}
}

static unsigned long flip_header(int nr)
{
	unsigned int i;

	for (i = 0; i < HEADER * 8; i++)
		flip(fragment[nr].at + i / 8, i % 8);
	return i;
}

static unsigned long flip_payload(int nr, unsigned long every)
{
	uint32_t first = HEADER * 8, end = fragment[nr].len * 8, i;
	unsigned long n = 0;

	for (i = first; i < end; i++) {
		if (i < first + 8 || i >= end - 8 || (i + nr) % every == 0) {
			flip(fragment[nr].at + i / 8, i % 8);
			n++;
		}
	}
	return n;
}

static unsigned long flip_several(int nr)
{
	uint8_t bytes[PAT_PAGE * 2];
	uint32_t at = fragment[nr].at, len = fragment[nr].len, i;
	unsigned long n;

	for (n = 0; n < 48; n++) {
		memcpy(bytes, media + at, len);
		for (i = 0; i < 2u << n % 6; i++)
			bytes[pat_next(&rng) % len] ^= (uint8_t)(1u << (pat_next(&rng) & 7));
		damage(at, bytes, len);
	}
	return n;
}

/* @old: the media when the page had the version before; @old_at: that version's offset */
static unsigned long replace_whole(int nr, const uint8_t *old, uint32_t old_at)
{
	uint32_t at = fragment[nr].at, len = fragment[nr].len;
	int next = (nr + 1) % nfragments;
	uint8_t bytes[PAT_PAGE * 2];

	memset(bytes, 0, len);
	damage(at, bytes, len);
	memset(bytes, 0xff, len);
	damage(at, bytes, len);
	damage(at, before + at, len);
	if (old_at + len <= media_bytes)
		damage(at, old + old_at, len);
	if (fragment[next].at + len <= media_bytes)
		damage(at, media + fragment[next].at, len);
	/* The header of one fragment with the payload of another. */
	damage(at, media + fragment[next].at, HEADER);
	return 6;
}

int main(int argc, char **argv)
{
	unsigned long header = 0, payload = 0, several = 0, whole = 0, every = 1;
	uint32_t old_at = 0, i;
	uint8_t *old;
	int opt, nr;

	while ((opt = getopt(argc, argv, "s:k:e:")) != -1) {
		if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (opt == 'k')
			kind = pat_kind_named(optarg);
		else if (opt == 'e')
			every = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	if (argc - optind != 5 || !every)
		return 2;
	upper = open(argv[optind], O_RDWR);
	lower = open(argv[optind + 1], O_RDWR);
	page = strtoull(argv[optind + 2], NULL, 0);
	granule = strtoul(argv[optind + 3], NULL, 0);
	media_bytes = strtoul(argv[optind + 4], NULL, 0);
	if (upper < 0 || lower < 0)
		err(2, "cannot open a device");
	if (!granule || !media_bytes)
		errx(2, "a granule of 0, or no media");
	before = malloc(media_bytes);
	old = malloc(media_bytes);
	media = malloc(media_bytes);
	if (!before || !old || !media)
		err(2, "malloc");
	rng = pat_hash(seed, page, 5);

	write_page(page + 1, PAT_TEXT, 1);
	read_media(before);
	write_page(page, kind, 1);
	read_media(media);
	find_fragments();
	if (nfragments)
		old_at = fragment[0].at;
	memcpy(old, media, media_bytes);
	memcpy(before, media, media_bytes);
	write_page(page, kind, 2);
	read_media(media);
	find_fragments();

	look(false);
	for (nr = 0; nr < nfragments; nr++) {
		header += flip_header(nr);
		payload += flip_payload(nr, every);
		several += flip_several(nr);
		whole += replace_whole(nr, old, old_at);
	}
	for (i = 0; !nfragments && i < media_bytes * 8; i += every * 997) {
		flip(i / 8, i % 8);
		payload++;
	}
	look(false);
	printf("fragments %d header %lu payload %lu several %lu whole %lu ", nfragments, header,
	       payload, several, whole);
	printf("eio %lu missed %lu wrong %lu other %lu\n", eio, missed, wrong, other);
	return 0;
}
