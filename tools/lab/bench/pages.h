/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The set of pages for the devices, and random numbers that are the same in each run, for
 * pageio.c, overwrite.c and pagerate.c.
 */
#ifndef PAGES_H
#define PAGES_H

#include <err.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE	4096U

static const uint8_t *set;
static uint32_t npages;

/* Marsaglia's xorshift, so that every run has the same order. */
static inline uint32_t random_below(uint32_t limit)
{
	static uint32_t state = 2463534242U;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return (uint64_t)state * limit >> 32;
}

static inline const uint8_t *set_page(uint32_t nr)
{
	return set + (size_t)nr * PAGE;
}

/* Reads the whole set into memory, so that no timed request takes a page fault. */
static inline void map_set(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err(2, "%s", path);
	npages = st.st_size / PAGE;
	if (!npages)
		errx(2, "%s has no page", path);
	set = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd,
		   0);
	if (set == MAP_FAILED)
		err(2, "%s", path);
	close(fd);
}

#endif
