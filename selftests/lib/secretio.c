// SPDX-License-Identifier: GPL-2.0
/*
 * Writes pages with a secret (secret.h), and frees them: `secretio [-s SEED] [-S STRIDE] [-g
 * GENERATION] [-n] [-p] OPERATION BLOCKDEV FIRST COUNT`. STRIDE 2 is every second page; -n writes
 * the pages without the secret; with -p all pages begin with the same SECRET_START bytes, and
 * `churn` never writes the same page twice.
 *
 * write  writes the pages
 * read   reads the pages
 * free   discards them
 * churn  writes or discards any of them until the device is gone; the program opens the device
 *        anew now and then, so that a detach has a chance
 * swap   BLOCKDEV is swapped on. The program has the pages in memory and asks the kernel to page
 *        them out, frees half of them and starts again, until it is killed
 *
 * Prints `ok N error N`; exit 1 if `write`, `read` or `free` had an error. These three leave no
 * secret in memory.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "secret.h"

enum verb {
	WRITE,
	READ,
	FREE,
};

static uint64_t seed = 1, stride = 1, gen, first, count;
static const char *path;
static uint8_t secret[SECRET_BYTES];
static bool plain, alike;
static uint8_t *page;
static unsigned long ok, error;

static int opened(void)
{
	return open(path, O_RDWR | O_DIRECT);
}

static void one(int fd, uint64_t number, enum verb verb)
{
	uint64_t range[2] = { number * PAT_PAGE, PAT_PAGE }, start = seed;
	bool good;

	if (verb == FREE) {
		good = !ioctl(fd, BLKDISCARD, range);
	} else if (verb == READ) {
		good = pread(fd, page, PAT_PAGE, range[0]) == (ssize_t)PAT_PAGE;
	} else {
		secret_page(page, seed, number, gen, plain ? NULL : secret);
		if (alike)
			pat_random(page, SECRET_START, &start);
		good = pwrite(fd, page, PAT_PAGE, range[0]) == (ssize_t)PAT_PAGE;
	}
	if (good)
		ok++;
	else
		error++;
}

static int all(enum verb verb)
{
	int fd = opened();
	uint64_t i;

	if (fd < 0)
		err(2, "%s", path);
	for (i = 0; i < count; i++)
		one(fd, first + i * stride, verb);
	if (fsync(fd))
		error++;
	return error ? 1 : 0;
}

static int churn(void)
{
	uint64_t state = seed + 77, was;
	int fd, i;

	while ((fd = opened()) >= 0 || errno == EBUSY) {
		for (i = 0; i < 40 && fd >= 0; i++) {
			was = error;
			gen += alike;
			one(fd, first + pat_next(&state) % count * stride,
			    pat_next(&state) & 1 ? FREE : WRITE);
			/* The power is off. */
			if (error > was)
				usleep(20000);
		}
		if (fd >= 0)
			close(fd);
		usleep(1000);
	}
	return 0;
}

static int swap(void)
{
	size_t bytes = count * PAT_PAGE, i;
	uint8_t *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (mem == MAP_FAILED)
		err(2, "mmap");
	for (;;) {
		for (i = 0; i < count; i++)
			secret_page(mem + i * PAT_PAGE, seed, first + i, gen, secret);
		if (madvise(mem, bytes, MADV_PAGEOUT))
			err(2, "MADV_PAGEOUT");
		for (i = ok++ & 1; i < count; i += 2)
			madvise(mem + i * PAT_PAGE, PAT_PAGE, MADV_DONTNEED);
		usleep(50000);
	}
}

int main(int argc, char **argv)
{
	int opt, ret = 2;

	while ((opt = getopt(argc, argv, "s:S:g:np")) != -1) {
		if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (opt == 'S')
			stride = strtoull(optarg, NULL, 0);
		else if (opt == 'g')
			gen = strtoull(optarg, NULL, 0);
		else if (opt == 'n')
			plain = true;
		else if (opt == 'p')
			alike = true;
		else
			return 2;
	}
	if (argc - optind != 4)
		return 2;
	path = argv[optind + 1];
	first = strtoull(argv[optind + 2], NULL, 0);
	count = strtoull(argv[optind + 3], NULL, 0);
	if (!count || posix_memalign((void **)&page, PAT_PAGE, PAT_PAGE))
		return 2;
	secret_make(secret, seed);
	if (!strcmp(argv[optind], "write"))
		ret = all(WRITE);
	else if (!strcmp(argv[optind], "read"))
		ret = all(READ);
	else if (!strcmp(argv[optind], "free"))
		ret = all(FREE);
	else if (!strcmp(argv[optind], "churn"))
		ret = churn();
	else if (!strcmp(argv[optind], "swap"))
		ret = swap();
	explicit_bzero(secret, sizeof(secret));
	explicit_bzero(page, PAT_PAGE);
	printf("ok %lu error %lu\n", ok, error);
	return ret;
}
