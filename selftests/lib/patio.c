// SPDX-License-Identifier: GPL-2.0
/*
 * Writes and verifies pattern pages on a device, page by page, and counts the
 * outcomes instead of stopping at the first: `patio [-d] [-b BYTES] [-k KIND]
 * [-r N] [-s SEED] [-S STRIDE] [-w FILE] write|verify|either DEV FIRST COUNT GENERATION`.
 *
 * write   prints `ok N error N first ERRNO-or-none last-ok PAGE`
 * verify  prints `ok N error N wrong N first ERRNO-or-none`, exit 1 on a wrong one
 * either  as verify, but a page may hold GENERATION or the one before; prints
 *         `new N old N error N wrong N`
 * -d opens with O_DIRECT, -b sets the size of one call (512 .. 65536).
 * -w FILE lists the pages that had an error, -r N tries each call up to N times
 * more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>
#include "pattern.h"

static enum pat_kind kind;
static uint64_t seed = 1, stride = 1;
static size_t chunk;
static unsigned long retries;
static FILE *list;

static bool transfer(int fd, bool out, uint8_t *buf, size_t len, off_t at)
{
	size_t done;

	for (done = 0; done < len; done += chunk) {
		size_t n = len - done < chunk ? len - done : chunk;
		unsigned long tries = 0;
		ssize_t r;

		do {
			errno = 0;
			r = out ? pwrite(fd, buf + done, n, at + done) :
				  pread(fd, buf + done, n, at + done);
		} while (r != (ssize_t)n && tries++ < retries);
		if (r != (ssize_t)n) {
			if (!errno)
				errno = ENODATA;
			return false;
		}
	}
	return true;
}

static void show_difference(const uint8_t *got, const uint8_t *want, uint64_t page)
{
	size_t i, first = PAT_PAGE, count = 0;

	for (i = 0; i < PAT_PAGE; i++) {
		if (got[i] != want[i]) {
			first = i < first ? i : first;
			count++;
		}
	}
	fprintf(stderr, "patio: page %llu differs in %zu bytes from byte %zu: got %02x want %02x\n",
		(unsigned long long)page, count, first, got[first], want[first]);
}

int main(int argc, char **argv)
{
	uint64_t first, count, gen, page, i;
	unsigned long ok = 0, error = 0, wrong = 0, old = 0;
	long long last_ok = -1;
	int flags = 0, opt, fd, first_errno = 0;
	uint8_t *got, *want;
	size_t group;
	const char *verb;
	bool writing;

	chunk = PAT_PAGE;
	while ((opt = getopt(argc, argv, "db:k:r:s:S:w:")) != -1) {
		switch (opt) {
		case 'd':
			flags = O_DIRECT;
			break;
		case 'b':
			chunk = strtoul(optarg, NULL, 0);
			break;
		case 'k':
			kind = pat_kind_named(optarg);
			break;
		case 'r':
			retries = strtoul(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'S':
			stride = strtoull(optarg, NULL, 0);
			break;
		case 'w':
			list = fopen(optarg, "w");
			break;
		default:
			return 2;
		}
	}
	if (argc - optind != 5 || !chunk || chunk > 65536)
		return 2;
	verb = argv[optind];
	writing = !strcmp(verb, "write");
	first = strtoull(argv[optind + 2], NULL, 0);
	count = strtoull(argv[optind + 3], NULL, 0);
	gen = strtoull(argv[optind + 4], NULL, 0);
	fd = open(argv[optind + 1], (writing ? O_WRONLY : O_RDONLY) | flags);
	if (fd < 0) {
		perror(argv[optind + 1]);
		return 2;
	}
	if (posix_memalign((void **)&got, PAT_PAGE, 65536 * 2))
		return 2;
	want = got + 65536;
	group = chunk > PAT_PAGE ? chunk / PAT_PAGE : 1;

	for (i = 0; i < count; i += group) {
		uint64_t n = count - i < group ? count - i : group, k;

		page = first + i * stride;
		for (k = 0; k < n; k++)
			pat_page(want + k * PAT_PAGE, kind, seed, page + k, gen);
		/* Poison: a read that transfers nothing must not pass. */
		memset(got, 0x5a ^ (int)i, n * PAT_PAGE);
		if (!transfer(fd, writing, writing ? want : got, n * PAT_PAGE,
			      (off_t)page * PAT_PAGE)) {
			if (!first_errno)
				first_errno = errno;
			error += n;
			if (list)
				fprintf(list, "%llu\n", (unsigned long long)page);
			continue;
		}
		if (writing) {
			ok += n;
			last_ok = (long long)(page + n - 1);
			continue;
		}
		for (k = 0; k < n; k++) {
			const uint8_t *g = got + k * PAT_PAGE;
			uint8_t *w = want + k * PAT_PAGE;

			if (!memcmp(g, w, PAT_PAGE)) {
				ok++;
				continue;
			}
			if (!strcmp(verb, "either") && gen) {
				pat_page(w, kind, seed, page + k, gen - 1);
				if (!memcmp(g, w, PAT_PAGE)) {
					old++;
					continue;
				}
			}
			if (!wrong++)
				show_difference(g, w, page + k);
		}
	}
	/* A buffered write reports its error only here. */
	if (writing && fsync(fd) && errno != EINVAL) {
		if (!first_errno)
			first_errno = errno;
		error++;
	}
	if (list)
		fclose(list);
	if (writing)
		printf("ok %lu error %lu first %s last-ok %lld\n", ok, error,
		       first_errno ? strerrorname_np(first_errno) : "none", last_ok);
	else if (!strcmp(verb, "either"))
		printf("new %lu old %lu error %lu wrong %lu\n", ok, old, error, wrong);
	else
		printf("ok %lu error %lu wrong %lu first %s\n", ok, error, wrong,
		       first_errno ? strerrorname_np(first_errno) : "none");
	return wrong ? 1 : 0;
}
