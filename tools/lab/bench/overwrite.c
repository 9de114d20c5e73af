// SPDX-License-Identifier: GPL-2.0
/*
 * Fills a block device with the pages of a set, or overwrites the filled device in
 * random order and reads all of it back; direct I/O, a page per request.
 *
 * usage: overwrite [-s] [-c PERCENT] [-d TURNS] DEVICE SET SLOTS TURNS
 *
 * SLOTS is how many pages of the device are used. With 0 TURNS they are filled.
 * Otherwise a turn is SLOTS writes of random pages to random slots. With -s, nine of
 * ten writes go to the first tenth of the slots. With -c, the first PERCENT of the
 * slots are never written again. -d: an earlier run with the same arguments made
 * that many turns, and this run continues it. At the end all pages are compared with
 * the contents that follow from the arguments. Prints nothing; exit status 1 if a
 * page differs.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pages.h"

static uint32_t slots, cold, *held;
static uint8_t *buffer;
static bool skewed;
static int fd;

static void write_slot(uint32_t slot)
{
	memcpy(buffer, set_page(held[slot]), PAGE);
	if (pwrite(fd, buffer, PAGE, (off_t)slot * PAGE) != PAGE)
		err(2, "slot %u", slot);
}

static void check_slot(uint32_t slot)
{
	memset(buffer, 0x5a, PAGE);
	if (pread(fd, buffer, PAGE, (off_t)slot * PAGE) != PAGE)
		err(2, "slot %u", slot);
	if (memcmp(buffer, set_page(held[slot]), PAGE))
		errx(1, "slot %u: other data", slot);
}

/* Chooses the next slot to write. */
static uint32_t choose_slot(void)
{
	uint32_t warm = slots - cold, hot = warm / 10;

	if (!skewed)
		return cold + random_below(warm);
	if (random_below(10))
		return cold + random_below(hot);
	return cold + hot + random_below(warm - hot);
}

/* Makes @turns turns, or only computes the resulting contents. */
static void turn(uint32_t turns, bool really)
{
	uint64_t n;

	for (n = (uint64_t)turns * slots; n; n--) {
		uint32_t slot = choose_slot();

		held[slot] = random_below(npages);
		if (really)
			write_slot(slot);
	}
}

static void get_ready(const char *device, const char *path)
{
	uint32_t i;

	map_set(path);
	fd = open(device, O_RDWR | O_DIRECT);
	if (fd < 0)
		err(2, "%s", device);
	held = calloc(slots, sizeof(*held));
	if (!held || posix_memalign((void **)&buffer, PAGE, PAGE))
		errx(2, "no memory");
	for (i = 0; i < slots; i++)
		held[i] = i % npages;
}

int main(int argc, char **argv)
{
	uint32_t done = 0, percent = 0, turns, i;
	int option;

	while ((option = getopt(argc, argv, "sc:d:")) != -1) {
		if (option == 's')
			skewed = true;
		else if (option == 'c')
			percent = strtoul(optarg, NULL, 0);
		else if (option == 'd')
			done = strtoul(optarg, NULL, 0);
		else
			return 2;
	}
	argv += optind;
	if (argc - optind != 4)
		errx(2, "usage: overwrite [-s] [-c PERCENT] [-d TURNS] DEVICE SET SLOTS TURNS");
	slots = strtoul(argv[2], NULL, 0);
	turns = strtoul(argv[3], NULL, 0);
	cold = (uint64_t)slots * percent / 100;
	get_ready(argv[0], argv[1]);
	for (i = 0; !turns && i < slots; i++)
		write_slot(i);
	turn(done, false);
	turn(turns, true);
	for (i = 0; turns && i < slots; i++)
		check_slot(i);
	if (fsync(fd))
		err(2, "%s", argv[0]);
	return 0;
}
