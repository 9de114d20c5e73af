// SPDX-License-Identifier: GPL-2.0
/*
 * Fills a block device with the pages of a set, or overwrites what it is filled with
 * in random order and reads all of it back; direct I/O, a page a request.
 *
 * usage: overwrite DEVICE SET SLOTS TURNS
 *
 * SLOTS is how many pages of the device are used. With 0 TURNS they are filled; with
 * more, each turn is as many writes to slots chosen at random, all alike, each of a
 * page chosen at random. What is compared at the end is what the device must hold
 * if it was filled before. Prints nothing; exit status 1 if a page is another.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE	4096U

static const uint8_t *set;
static uint8_t *buffer;
static uint32_t npages;
static int fd;

/* Marsaglia's xorshift, so that every run has the same order. */
static uint32_t random_below(uint32_t limit)
{
	static uint32_t state = 2463534242U;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return (uint64_t)state * limit >> 32;
}

static void map_set(const char *path)
{
	int file = open(path, O_RDONLY);
	struct stat st;

	if (file < 0 || fstat(file, &st))
		err(2, "%s", path);
	npages = st.st_size / PAGE;
	set = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (set == MAP_FAILED || !npages)
		err(2, "%s", path);
	close(file);
}

static void write_slot(uint32_t slot, uint32_t page)
{
	memcpy(buffer, set + (size_t)page * PAGE, PAGE);
	if (pwrite(fd, buffer, PAGE, (off_t)slot * PAGE) != PAGE)
		err(2, "slot %u", slot);
}

static void check_slot(uint32_t slot, uint32_t page)
{
	memset(buffer, 0x5a, PAGE);
	if (pread(fd, buffer, PAGE, (off_t)slot * PAGE) != PAGE)
		err(2, "slot %u", slot);
	if (memcmp(buffer, set + (size_t)page * PAGE, PAGE))
		errx(1, "slot %u: other data", slot);
}

int main(int argc, char **argv)
{
	uint32_t slots, turns, i, *held;
	uint64_t n;

	if (argc != 5)
		errx(2, "usage: overwrite DEVICE SET SLOTS TURNS");
	map_set(argv[2]);
	slots = strtoul(argv[3], NULL, 0);
	turns = strtoul(argv[4], NULL, 0);
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0)
		err(2, "%s", argv[1]);
	held = calloc(slots, sizeof(*held));
	if (!held || posix_memalign((void **)&buffer, PAGE, PAGE))
		errx(2, "no memory");
	for (i = 0; i < slots; i++) {
		held[i] = i % npages;
		if (!turns)
			write_slot(i, held[i]);
	}
	for (n = (uint64_t)turns * slots; n; n--) {
		i = random_below(slots);
		held[i] = random_below(npages);
		write_slot(i, held[i]);
	}
	for (i = 0; turns && i < slots; i++)
		check_slot(i, held[i]);
	if (fsync(fd))
		err(2, "%s", argv[1]);
	return 0;
}
