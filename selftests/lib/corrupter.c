// SPDX-License-Identifier: GPL-2.0
/*
 * Damages the lower MTD below a device, and checks how the device reads: `corrupter [-s SEED] [-n
 * ROUNDS] [-m MODE] [-k KIND] UPPER LOWER PAGES BYTES`.
 *
 * UPPER holds pattern pages 0 .. PAGES-1 of KIND and generation 1, LOWER's first BYTES bytes are
 * its media.
 *
 * Each round damages one range, reads every page, and repairs the range. A page may read as before,
 * or fail with EIO; any other result is a bug. Modes: bit (one bit), byte (xor), burst (64 random
 * bytes), zero (512 zero bytes), ones (512 bytes 0xFF), misplaced (4 KiB from another offset).
 *
 * Prints `ok N eio N other N wrong N hit N`; hit: rounds that had any EIO.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "pattern.h"

static const char *mode = "bit";
static enum pat_kind kind;
static uint64_t rng;

static size_t damage(uint8_t *buf, int fd, uint64_t media, uint64_t *at)
{
	uint64_t where = pat_next(&rng), i, len;

	if (!strcmp(mode, "bit") || !strcmp(mode, "byte"))
		len = 1;
	else if (!strcmp(mode, "burst"))
		len = 64;
	else if (!strcmp(mode, "misplaced"))
		len = 4096;
	else
		len = 512;
	*at = where % (media - len + 1);
	if (len > 1)
		*at &= ~15ull;
	if (!strcmp(mode, "misplaced")) {
		uint64_t from = pat_next(&rng) % (media - len + 1) & ~15ull;

		return pread(fd, buf, len, from) == (ssize_t)len ? len : 0;
	}
	if (pread(fd, buf, len, *at) != (ssize_t)len)
		return 0;
	for (i = 0; i < len; i++) {
		if (!strcmp(mode, "bit"))
			buf[i] ^= (uint8_t)(1u << (pat_next(&rng) & 7));
		else if (!strcmp(mode, "byte"))
			buf[i] ^= (uint8_t)(1 + pat_next(&rng) % 255);
		else if (!strcmp(mode, "burst"))
			buf[i] = (uint8_t)pat_next(&rng);
		else
			buf[i] = !strcmp(mode, "ones") ? 0xff : 0;
	}
	return len;
}

int main(int argc, char **argv)
{
	unsigned long ok = 0, eio = 0, other = 0, wrong = 0, hit = 0, rounds = 50, r;
	uint64_t seed = 1, media, at, page, pages;
	uint8_t buf[4096], saved[4096], *want, got[PAT_PAGE_MAX];
	int opt, upper, lower;
	size_t len;

	while ((opt = getopt(argc, argv, "s:n:m:k:")) != -1) {
		if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (opt == 'n')
			rounds = strtoul(optarg, NULL, 0);
		else if (opt == 'm')
			mode = optarg;
		else if (opt == 'k')
			kind = pat_kind_named(optarg);
		else
			return 2;
	}
	if (argc - optind != 4)
		return 2;
	upper = open(argv[optind], O_RDONLY);
	lower = open(argv[optind + 1], O_RDWR);
	pages = strtoull(argv[optind + 2], NULL, 0);
	media = strtoull(argv[optind + 3], NULL, 0);
	if (upper < 0 || lower < 0 || !pages || media < 4096) {
		perror("corrupter");
		return 2;
	}
	rng = seed * 1000 + (uint8_t)mode[0] + (uint8_t)mode[1] * 256;
	want = malloc(pages * PAT_PAGE);
	if (!want)
		return 2;
	for (page = 0; page < pages; page++)
		pat_page(want + page * PAT_PAGE, kind, seed, page, 1);

	for (r = 0; r < rounds; r++) {
		unsigned long eio_before = eio;

		len = damage(buf, lower, media, &at);
		if (!len || pread(lower, saved, len, at) != (ssize_t)len ||
		    pwrite(lower, buf, len, at) != (ssize_t)len) {
			perror("corrupter: lower MTD");
			return 2;
		}
		for (page = 0; page < pages; page++) {
			memset(got, (int)(0xa5 ^ r), PAT_PAGE);
			errno = 0;
			if (pread(upper, got, PAT_PAGE, page * PAT_PAGE) !=
			    (ssize_t)PAT_PAGE) {
				if (errno == EIO)
					eio++;
				else
					other++;
				continue;
			}
			if (!memcmp(got, want + page * PAT_PAGE, PAT_PAGE)) {
				ok++;
				continue;
			}
			if (!wrong++)
				fprintf(stderr, "corrupter: %s at %llu: page %llu has wrong data\n",
					mode, (unsigned long long)at,
					(unsigned long long)page);
		}
		hit += eio > eio_before;
		if (pwrite(lower, saved, len, at) != (ssize_t)len)
			return 2;
	}
	printf("ok %lu eio %lu other %lu wrong %lu hit %lu\n", ok, eio, other, wrong, hit);
	return 0;
}
