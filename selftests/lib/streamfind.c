// SPDX-License-Identifier: GPL-2.0
/*
 * Looks for records that were encrypted with the same key stream: `streamfind [-n TIMES] [-m MS]
 * [-a ALIGNED] MEDIA`. All pages on MEDIA begin with the same SECRET_START bytes (secretio -p), and
 * none is compressed.
 *
 * The same start with the same key stream gives the same bytes. So two records are a pair if their
 * first START bytes are equal and the following ones are not, at any two places in any two dumps.
 * The program dumps MEDIA, an MTD, TIMES times, at random moments within MS milliseconds of each
 * other. A dump may see the media in the middle of a program or of an erase. So all bytes of a find
 * are in one CHUNK, which is read at once, and bytes that look programmed are behind them.
 *
 * Payloads are looked for HEADER bytes behind each multiple of ALIGNED. In a log this is 16, as a
 * record without compression takes 257 times 16 bytes.
 *
 * Prints `dumps N starts N pairs N`: different places of START bytes, and pairs.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <mtd/mtd-user.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "secret.h"

#define START		32u
#define REST		64u
#define BEHIND		32u
#define CHUNK		2048u	/* a page of the NAND */
#define HEADER		8u
/* Of 32 random bytes fewer are different once in 100,000 times. */
#define DIFFERENT	22
#define SLOTS		2097152u

static struct slot {
	uint64_t start, rest;	/* hashes; start is 0 in an empty slot */
} slots[SLOTS];
static unsigned long used, pairs;

static bool looks_random(const uint8_t *at)
{
	uint64_t seen[4] = { 0 };
	int i, n = 0;

	for (i = 0; i < 32; i++)
		seen[at[i] >> 6] |= 1ull << (at[i] & 63);
	for (i = 0; i < 4; i++)
		n += __builtin_popcountll(seen[i]);
	return n >= DIFFERENT;
}

static uint64_t hash(const uint8_t *at, size_t bytes)
{
	uint64_t h = bytes, word;
	size_t i;

	for (i = 0; i < bytes; i += 8) {
		memcpy(&word, at + i, 8);
		h = pat_next(&h) ^ word;
	}
	return pat_next(&h) | 1;
}

static void note(const uint8_t *at)
{
	uint64_t start = hash(at, START), rest = hash(at + START, REST);
	uint32_t i = start >> 32 & (SLOTS - 1);

	while (slots[i].start && slots[i].start != start)
		i = (i + 1) & (SLOTS - 1);
	if (slots[i].start) {
		pairs += slots[i].rest != rest;
		return;
	}
	if (++used > SLOTS / 8 * 7)
		errx(2, "too many dumps");
	slots[i] = (struct slot) { start, rest };
}

static void look_at(const uint8_t *chunk, size_t aligned)
{
	size_t at;

	for (at = HEADER; at + START + REST + BEHIND <= CHUNK; at += aligned)
		if (looks_random(chunk + at) && looks_random(chunk + at + START + REST))
			note(chunk + at);
}

int main(int argc, char **argv)
{
	unsigned long times = 1, pause_ms = 0, aligned = 16, i;
	struct mtd_info_user mtd;
	uint8_t chunk[CHUNK];
	uint64_t state = 1;
	int opt, fd;
	uint32_t at;

	while ((opt = getopt(argc, argv, "n:m:a:")) != -1) {
		if (opt == 'n')
			times = strtoul(optarg, NULL, 0);
		else if (opt == 'm')
			pause_ms = strtoul(optarg, NULL, 0);
		else if (opt == 'a')
			aligned = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	fd = argc - optind == 1 ? open(argv[optind], O_RDONLY) : -1;
	if (fd < 0 || ioctl(fd, MEMGETINFO, &mtd))
		err(2, "media");
	ioctl(fd, MTDFILEMODE, MTD_FILE_MODE_RAW);
	for (i = 0; i < times; i++) {
		if (pause_ms)
			usleep((useconds_t)(pat_next(&state) % (pause_ms * 1000)));
		for (at = 0; at < mtd.size; at += CHUNK)
			if (pread(fd, chunk, CHUNK, (off_t)at) == CHUNK)
				look_at(chunk, aligned);
	}
	printf("dumps %lu starts %lu pairs %lu\n", times, used, pairs);
	return 0;
}
