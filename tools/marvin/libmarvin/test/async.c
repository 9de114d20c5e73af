// SPDX-License-Identifier: GPL-2.0
/*
 * Why libmarvin does not use userfaultfd's asynchronous write protection: writes that are lost.
 *
 *	cc -O2 -pthread -o async async.c && ./async [SECONDS]	root, amd64, Linux 6.7 to 7.2
 *
 * A thread counts in each of some pages. Another one saves them: it protects a page by PAGEMAP_SCAN
 * and copies it; if a second scan finds no write, it gives the page by MADV_FREE, and
 * after that it scans once more, and makes the page dirty if it was written. A third one has the
 * kernel reclaim the pages (MADV_PAGEOUT). A write between the second scan and MADV_FREE is let
 * through by the kernel, and MADV_FREE forgets it; if the page is reclaimed before the third scan,
 * the old copy comes back. page.pml with ASYNC is the model. This is no part of the tests. Exit
 * status 0: no write was lost.
 */
#include <fcntl.h>
#include <linux/types.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than the headers of Debian 12. */
#define ASYNC (1U << 13 | 1U << 15)	/* UFFD_FEATURE_WP_UNPOPULATED, UFFD_FEATURE_WP_ASYNC */
struct scan {
	__u64 size, flags, start, end, walk_end, vec, vec_len, max_pages;
	__u64 inverted, mask, any_of, returned;
};
struct region { __u64 start, end, categories; };
#define PAGEMAP_SCAN _IOWR('f', 16, struct scan)
#define WRITTEN (1U << 1)
#define PROTECT (1U << 0)		/* PM_SCAN_WP_MATCHING */

#define PAGES 64U
#define PAGE 4096U

static _Atomic(uint64_t) *memory[PAGES];
static char *space, store[PAGES][PAGE];
static int fd, pagemap;
static _Atomic bool end;
static _Atomic uint64_t writes, lost, loads, given, noticed;

static void *load(void *arg)
{
	struct uffd_msg fault;

	while (read(fd, &fault, sizeof(fault)) == sizeof(fault)) {
		__u64 at = fault.arg.pagefault.address / PAGE * PAGE;
		struct uffdio_copy copy = {
			.dst = at, .src = (uintptr_t)store[(at - (uintptr_t)space) / PAGE],
			.len = PAGE, .mode = UFFDIO_COPY_MODE_WP,
		};

		ioctl(fd, UFFDIO_COPY, &copy);
		loads++;
	}
	return arg;
}

static void *count(void *arg)
{
	uint64_t counts[PAGES] = { 0 }, random = 1;

	while (!end) {
		uint64_t i = (random = random * 6364136223846793005ULL + 1) >> 58;

		if (*memory[i] != counts[i]) {
			lost++;
			counts[i] = *memory[i];
		}
		*memory[i] = ++counts[i];
		writes++;
		for (volatile int wait = 0; wait < 2000; wait++)
			;
	}
	return arg;
}

static void *reclaim(void *arg)
{
	while (!end)
		madvise(space, PAGES * PAGE, 21 /* MADV_PAGEOUT */);
	return arg;
}

/*
 * scan() - which pages were written since they were protected; @how: PROTECT: protect those again
 */
static void scan(bool written[PAGES], __u64 how)
{
	struct region regions[PAGES];
	struct scan scan = {
		.size = sizeof(scan), .flags = how, .start = (uintptr_t)space,
		.end = (uintptr_t)space + PAGES * PAGE, .vec = (uintptr_t)regions,
		.vec_len = PAGES, .mask = WRITTEN, .returned = WRITTEN,
	};
	int n = ioctl(pagemap, PAGEMAP_SCAN, &scan);

	memset(written, 0, PAGES);
	for (int i = 0; i < n; i++)
		for (__u64 at = regions[i].start; at < regions[i].end; at += PAGE)
			written[(at - (uintptr_t)space) / PAGE] = true;
}

static void save(void)
{
	bool written[PAGES];

	scan(written, PROTECT);
	for (unsigned int i = 0; i < PAGES; i++)
		if (written[i])
			memcpy(store[i], memory[i], PAGE);
	scan(written, 0);
	for (unsigned int i = 0; i < PAGES; i++)
		given += !written[i] && !madvise(memory[i], PAGE, MADV_FREE);
	scan(written, 0);
	for (unsigned int i = 0; i < PAGES; i++) {
		noticed += written[i];
		if (written[i])
			atomic_fetch_or(memory[i], 0);
	}
}

static bool begin(void)
{
	struct uffdio_api api = {
		.api = UFFD_API, .features = UFFD_FEATURE_PAGEFAULT_FLAG_WP | ASYNC,
	};
	struct uffdio_register range = {
		.mode = UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_WP,
	};

	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	pagemap = open("/proc/self/pagemap", O_RDONLY);
	space = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	range.range = (struct uffdio_range){ (uintptr_t)space, PAGES * PAGE };
	for (unsigned int i = 0; i < PAGES; i++)
		memory[i] = (void *)(space + i * PAGE);
	madvise(space, PAGES * PAGE, MADV_NOHUGEPAGE);
	memset(space, 0, PAGES * PAGE);
	return !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &range);
}

int main(int argc, char **argv)
{
	int seconds = argc > 1 ? atoi(argv[1]) : 60;
	pthread_t threads[3];

	if (!begin()) {
		printf("no asynchronous write protection here\n");
		return 4;
	}
	pthread_create(&threads[0], NULL, load, NULL);
	pthread_create(&threads[1], NULL, count, NULL);
	pthread_create(&threads[2], NULL, reclaim, NULL);
	alarm((unsigned int)seconds + 60);
	for (time_t until = time(NULL) + seconds; time(NULL) < until;)
		save();
	end = true;
	pthread_join(threads[1], NULL);
	printf("%llu writes, %llu lost; %llu pages given, %llu written meanwhile, %llu loaded\n",
	       (unsigned long long)writes, (unsigned long long)lost, (unsigned long long)given,
	       (unsigned long long)noticed, (unsigned long long)loads);
	return lost != 0;
}
