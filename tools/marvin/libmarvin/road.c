// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "road.h"
#include "store.h"

/**
 * road_hole() - have each use of a page end with SIGBUS
 * @road: of the heap
 * @at: the page
 *
 * It becomes a part of a file that is behind its end. If that cannot be had, a use is SIGSEGV.
 */
void road_hole(struct road *road, uint8_t *at)
{
	/* A descriptor that stays may be another file's in the next thread's files. */
	int fd = store_above_stdio(memfd_create("marvin lost", MFD_CLOEXEC));

	if (fd < 0 || mmap(at, road->page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		      MAP_FAILED)
		mprotect(at, road->page, PROT_NONE);
	if (fd >= 0)
		close(fd);
}

/**
 * road_page() - a page of the machine
 * @bytes: of the space
 */
size_t road_page(uint64_t bytes)
{
	(void)bytes;
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int no_begin(struct road *road)
{
	(void)road;
	return 0;
}

static void no_end(struct road *road)
{
	(void)road;
}

static int no_discard(struct road *road, uint8_t *at, size_t bytes)
{
	(void)road;
	return madvise(at, bytes, MADV_DONTNEED) ? -errno : 0;
}

/* Without a store: pages are never protected, so nothing else is called. */
const struct road_ops road_none = {
	.road = MARVIN_ROAD_NONE, .forks_protected = true, .page = road_page,
	.begin = no_begin, .end = no_end,
	.forked = no_begin, .discard = no_discard,
};

/**
 * road_begin() - choose a road
 * @road: space, bytes and calls are set; its page is chosen here
 * @wanted: which one; MARVIN_ROAD_AUTO: the first that works
 *
 * Context: starts threads.
 *
 * Return: 0; -EOPNOTSUPP or another negative errno: the wanted one does not work here.
 */
int road_begin(struct road *road, enum marvin_road wanted)
{
	static const struct road_ops *const all[] = { &road_wp, &road_signal, &road_none };
	int err = -EOPNOTSUPP;
	size_t i;

	road->fd = -1;
	road->stop = (struct bell){ -1, -1, 0 };
	road->bell = -1;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (wanted != MARVIN_ROAD_AUTO && wanted != all[i]->road)
			continue;
		road->ops = all[i];
		road->page = all[i]->page(road->bytes);
		err = all[i]->begin(road);
		if (!err)
			return 0;
	}
	return err;
}
