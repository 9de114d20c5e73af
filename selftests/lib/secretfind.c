// SPDX-License-Identifier: GPL-2.0
/*
 * Looks for a secret (secret.h) on media: `secretfind [-s SEED] [-c FILE] [-n TIMES] [-m MS]
 * [-o FILE] MEDIA`.
 *
 * The program dumps MEDIA, an MTD or a file, TIMES times, at random moments within MS milliseconds
 * of each other. In each dump it looks for SECRET_FIND bytes of the secret in a row. With -c, it
 * also looks for WINDOW bytes in a row of FILE, a dump of media that hold the same pages compressed
 * and not encrypted: of the windows it knows each STEPth. Windows with few different bytes are no
 * find: zeros, erased flash, labels. With -o, the last dump goes to FILE.
 *
 * An MTD is read raw, bad blocks and all, so that the ECC hides nothing: a torn page has no ECC
 * that fits.
 *
 * Prints `dumps N bytes N unread N secret N compressed N`: bytes of a dump, bytes that could not be
 * read, finds of each sort in all dumps.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <mtd/mtd-user.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "secret.h"

#define WINDOW		16u
#define STEP		4u
/* A random window has fewer different bytes once in 100,000 times; the start of a label has 8. */
#define DIFFERENT	10u
#define CHUNK		4096u
#define NONE		0xffffffffu

static uint8_t secret[SECRET_BYTES];
/* for each byte, the windows of the secret that begin with it, a bit each */
static uint32_t begins[256];
static uint8_t *known;		/* the bytes that the windows are of */
static uint32_t *slots, mask;	/* a hash table of offsets in it */
static unsigned long long unread, secrets, compressed;

static uint32_t hash(const uint8_t *window)
{
	uint64_t a, b;

	memcpy(&a, window, 8);
	memcpy(&b, window + 8, 8);
	a = (a ^ b >> 29) * 0x9e3779b97f4a7c15ull ^ b * 0xbf58476d1ce4e5b9ull;
	return (uint32_t)(a >> 32) & mask;
}

static bool is_trivial(const uint8_t *window)
{
	uint64_t seen[4] = { 0 };
	unsigned int i, n = 0;

	for (i = 0; i < WINDOW; i++)
		seen[window[i] >> 6] |= 1ull << (window[i] & 63);
	for (i = 0; i < 4; i++)
		n += (unsigned int)__builtin_popcountll(seen[i]);
	return n < DIFFERENT;
}

/* Return: the slot of the window, or the empty one where it would be */
static uint32_t slot_of(const uint8_t *window)
{
	uint32_t at = hash(window);

	while (slots[at] != NONE && memcmp(known + slots[at], window, WINDOW))
		at = (at + 1) & mask;
	return at;
}

static void learn(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat info;
	uint32_t bytes, i, n = 0;

	if (fd < 0 || fstat(fd, &info) || info.st_size < (int)WINDOW || info.st_size > 1 << 28)
		err(2, "%s", path);
	bytes = info.st_size;
	for (mask = 1; mask < 2 * bytes / STEP; mask *= 2)
		;
	known = malloc(bytes);
	slots = malloc(mask * sizeof(*slots));
	if (!known || !slots || read(fd, known, bytes) != (ssize_t)bytes)
		err(2, "%s", path);
	memset(slots, 0xff, mask * sizeof(*slots));
	mask--;
	for (i = 0; i + WINDOW <= bytes; i += STEP) {
		if (is_trivial(known + i))
			continue;
		slots[slot_of(known + i)] = i;
		n++;
	}
	close(fd);
	if (!n)
		errx(2, "%s: no windows", path);
}

static size_t length_of(int fd)
{
	struct mtd_info_user mtd;
	struct stat info;

	if (!ioctl(fd, MEMGETINFO, &mtd)) {
		ioctl(fd, MTDFILEMODE, MTD_FILE_MODE_RAW);
		return mtd.size;
	}
	return fstat(fd, &info) ? 0 : (size_t)info.st_size;
}

static void dump(int fd, uint8_t *buf, size_t bytes)
{
	size_t at, n;

	for (at = 0; at < bytes; at += n) {
		n = bytes - at < CHUNK ? bytes - at : CHUNK;
		if (pread(fd, buf + at, n, (off_t)at) == (ssize_t)n)
			continue;
		memset(buf + at, 0, n);
		unread += n;
	}
}

static bool is_secret(const uint8_t *at)
{
	uint32_t windows = begins[*at];
	int i;

	for (; windows; windows &= windows - 1) {
		i = __builtin_ctz(windows);
		if (!memcmp(at, secret + i, SECRET_FIND))
			return true;
	}
	return false;
}

static void search(const uint8_t *buf, size_t bytes)
{
	size_t i;

	for (i = 0; i + SECRET_FIND <= bytes; i++)
		secrets += is_secret(buf + i);
	for (i = 0; slots && i + WINDOW <= bytes; i++)
		compressed += slots[slot_of(buf + i)] != NONE;
}

static void save(const char *path, const uint8_t *buf, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, buf, bytes) != (ssize_t)bytes || close(fd))
		err(2, "%s", path);
}

int main(int argc, char **argv)
{
	unsigned long times = 1, pause_ms = 0, i;
	uint64_t seed = 1, state;
	const char *out = NULL;
	uint8_t *buf;
	size_t bytes;
	int opt, fd;

	while ((opt = getopt(argc, argv, "s:c:n:m:o:")) != -1) {
		if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (opt == 'c')
			learn(optarg);
		else if (opt == 'n')
			times = strtoul(optarg, NULL, 0);
		else if (opt == 'm')
			pause_ms = strtoul(optarg, NULL, 0);
		else if (opt == 'o')
			out = optarg;
		else
			return 2;
	}
	fd = argc - optind == 1 ? open(argv[optind], O_RDONLY) : -1;
	if (fd < 0)
		err(2, "media");
	bytes = length_of(fd);
	buf = malloc(bytes);
	if (!bytes || !buf)
		err(2, "%s", argv[optind]);
	secret_make(secret, seed);
	for (i = 0; i + SECRET_FIND <= SECRET_BYTES; i++)
		begins[secret[i]] |= 1u << i;
	state = seed;
	for (i = 0; i < times; i++) {
		if (pause_ms)
			usleep((useconds_t)(pat_next(&state) % (pause_ms * 1000)));
		dump(fd, buf, bytes);
		search(buf, bytes);
	}
	if (out)
		save(out, buf, bytes);
	printf("dumps %lu bytes %zu unread %llu secret %llu compressed %llu\n", times, bytes,
	       unread, secrets, compressed);
	return 0;
}
