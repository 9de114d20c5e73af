// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a set of pages to a block device and reads it back, with direct I/O, a
 * page per request, and prints the times.
 *
 * usage: pageio [-m] DEVICE SET PASSES
 *
 * Each letter of PASSES is a pass over all pages, timed separately:
 *   w  write the set in its order
 *   r  read it in this order
 *   W  overwrite all pages in a random order, each with another page of the set
 *   R  read them in another random order
 *
 * Each page read is compared with the page written. The read buffer is spoiled
 * before each request, so that a request without effect is noticed.
 * The result is CSV, times in nanoseconds. With -m the program executes a
 * marker instruction at both ends of each pass, for the profiler (profile.c).
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pages.h"

/* For each slot of the device, the page of the set that it holds. */
static uint32_t *held;
/* Order of the slots in the present pass. */
static uint32_t *order;
/* Nanoseconds of each request. With 32 bits, those of a pass must be less than 4 seconds. */
static unsigned long *times;
static unsigned long clock_cost;
static bool markers;

static void set_order(uint32_t *array, bool shuffled)
{
	uint32_t i;

	for (i = 0; i < npages; i++)
		array[i] = i;
	if (!shuffled)
		return;
	for (i = npages - 1; i; i--) {
		uint32_t j = random_below(i + 1);
		uint32_t swap = array[i];

		array[i] = array[j];
		array[j] = swap;
	}
}

/* A nop of x86 that no compiler emits; see profile.c. */
static void mark(bool begin)
{
#ifdef __x86_64__
	if (!markers)
		return;
	if (begin)
		asm volatile(".byte 0x0f, 0x1f, 0x80, 0x01, 0x4d, 0x54, 0x44");
	else
		asm volatile(".byte 0x0f, 0x1f, 0x80, 0x02, 0x4d, 0x54, 0x44");
#else
	(void)begin;
#endif
}

static unsigned long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000UL + ts.tv_nsec;
}

/* Measures the time of two clock readings without anything between. */
static void measure_clock(void)
{
	unsigned long start, sum = 0;
	int i;

	for (i = 0; i < 1000; i++) {
		start = now();
		sum += now() - start;
	}
	clock_cost = sum / 1000;
}

static bool is_filled(const uint8_t *page)
{
	return !memcmp(page, page + 8, PAGE - 8);
}

static int compare_times(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a;
	unsigned long y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

static void print_times(char pass)
{
	unsigned long sum[2] = { 0, 0 };
	uint32_t n[2] = { 0, 0 };
	uint32_t i;

	for (i = 0; i < npages; i++) {
		bool filled = is_filled(set_page(held[order[i]]));

		times[i] -= times[i] < clock_cost ? times[i] : clock_cost;
		sum[filled] += times[i];
		n[filled]++;
	}
	qsort(times, npages, sizeof(*times), compare_times);
	printf("%c,%u,%lu,%lu,%lu,%lu,%lu,%lu,%lu\n", pass, npages,
	       (sum[0] + sum[1]) / npages,
	       n[0] ? sum[0] / n[0] : 0, n[1] ? sum[1] / n[1] : 0,
	       times[0], times[npages / 2],
	       times[npages - 1 - npages / 100], times[npages - 1]);
}

static void write_slot(int fd, uint8_t *buffer, uint32_t i)
{
	uint32_t slot = order[i];
	unsigned long start;
	ssize_t done;

	memcpy(buffer, set_page(held[slot]), PAGE);
	start = now();
	done = pwrite(fd, buffer, PAGE, (off_t)slot * PAGE);
	times[i] = now() - start;
	if (done != PAGE)
		err(1, "write of slot %u", slot);
}

static void read_slot(int fd, uint8_t *buffer, uint32_t i)
{
	uint32_t slot = order[i];
	const uint8_t *page = set_page(held[slot]);
	unsigned long start;
	ssize_t done;
	uint32_t at;

	for (at = 0; at < PAGE; at += 512)
		buffer[at] = ~page[at];
	buffer[PAGE - 1] = ~page[PAGE - 1];
	start = now();
	done = pread(fd, buffer, PAGE, (off_t)slot * PAGE);
	times[i] = now() - start;
	if (done != PAGE)
		err(1, "read of slot %u", slot);
	if (memcmp(buffer, page, PAGE))
		errx(3, "slot %u does not read as it was written", slot);
}

static void run_pass(int fd, uint8_t *buffer, char pass)
{
	uint32_t i;

	switch (pass) {
	case 'w': case 'r':
		set_order(order, false);
		break;
	case 'W':
		set_order(held, true);
		set_order(order, true);
		break;
	case 'R':
		set_order(order, true);
		break;
	default:
		errx(2, "unknown pass %c", pass);
	}
	mark(true);
	for (i = 0; i < npages; i++) {
		if (pass == 'w' || pass == 'W')
			write_slot(fd, buffer, i);
		else
			read_slot(fd, buffer, i);
	}
	mark(false);
	print_times(pass);
}

static void get_ready(const char *path)
{
	map_set(path);
	held = calloc(npages, sizeof(*held));
	order = calloc(npages, sizeof(*order));
	times = calloc(npages, sizeof(*times));
	if (!held || !order || !times)
		err(1, "memory");
	set_order(held, false);
}

int main(int argc, char **argv)
{
	uint8_t *buffer;
	const char *pass;
	int fd;

	if (argc > 1 && !strcmp(argv[1], "-m")) {
		markers = true;
		argc--;
		argv++;
	}
	if (argc != 4)
		errx(2, "usage: pageio [-m] DEVICE SET PASSES");
	get_ready(argv[2]);
	buffer = aligned_alloc(PAGE, PAGE);
	fd = open(argv[1], O_RDWR | O_DIRECT | O_EXCL);
	if (!buffer || fd < 0)
		err(1, "%s", argv[1]);
	/* Touch all memory, so that no timed request takes a page fault. */
	memset(buffer, 1, PAGE);
	memset(times, 1, npages * sizeof(*times));
	measure_clock();
	printf("pass,pages,mean,mean_stored,mean_filled,min,median,p99,max\n");
	for (pass = argv[3]; *pass; pass++)
		run_pass(fd, buffer, *pass);
	if (fsync(fd))
		err(1, "fsync");
	return 0;
}
