// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how many pages per second block devices write and read, with one thread
 * and with several.
 *
 * usage: pagerate SET SLOTS REQUESTS PASSES DEVICE...
 *
 * SLOTS pages of each device are used and filled first. PASSES is a list of letters,
 * each with a number of threads before it: 1w2w1r2r. In each pass the devices in turn
 * get REQUESTS requests of a page, by direct I/O and in random order. The threads share
 * the requests; each has a processor and a part of the slots of its own.
 *   w  overwrite, each time with another page of the set
 *   r  read; each sixteenth page is compared with the page written
 *   a  as w, but with a request for each slot: it ages the device
 * At the end all slots are read and compared.
 *
 * The result is CSV, times in nanoseconds, from the first thread's start to the last
 * one's end.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pages.h"

#define THREADS_MAX	8U
#define DEVICES_MAX	8U

static struct device {
	const char *path;
	uint32_t *held;		/* for each slot, the page of the set that it holds */
	int fd;
} devices[DEVICES_MAX];
static uint32_t slots;

static struct thread {
	struct device *device;
	uint8_t *buffer;
	uint32_t nr, first, slots, requests;
	uint64_t random, start, end;
	bool write;
} threads[THREADS_MAX];
static pthread_barrier_t barrier;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void write_slot(struct device *device, uint32_t slot, uint32_t page)
{
	/* The mapped set is aligned, which direct I/O demands. */
	if (pwrite(device->fd, set_page(page), PAGE, (off_t)slot * PAGE) != PAGE)
		err(1, "%s: write of slot %u", device->path, slot);
	device->held[slot] = page;
}

static void read_slot(const struct device *device, uint32_t slot, uint8_t *buffer)
{
	if (pread(device->fd, buffer, PAGE, (off_t)slot * PAGE) != PAGE)
		err(1, "%s: read of slot %u", device->path, slot);
}

static void check(const struct device *device, uint32_t slot, const uint8_t *buffer)
{
	if (memcmp(buffer, set_page(device->held[slot]), PAGE))
		errx(3, "%s: slot %u does not read as it was written", device->path,
		     slot);
}

/* Like random_below() of pages.h, but with a state for each thread. */
static uint32_t below(struct thread *thread, uint32_t limit)
{
	thread->random = thread->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (thread->random >> 32) * limit >> 32;
}

static void *work(void *data)
{
	struct thread *thread = data;
	cpu_set_t cpus;
	uint32_t i;

	CPU_ZERO(&cpus);
	CPU_SET(thread->nr, &cpus);
	errno = pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus);
	if (errno)
		err(2, "processor %u", thread->nr);
	pthread_barrier_wait(&barrier);
	thread->start = now();
	for (i = 0; i < thread->requests; i++) {
		uint32_t slot = thread->first + below(thread, thread->slots);

		if (thread->write) {
			write_slot(thread->device, slot, below(thread, npages));
			continue;
		}
		read_slot(thread->device, slot, thread->buffer);
		if (i % 16 == 0)
			check(thread->device, slot, thread->buffer);
	}
	thread->end = now();
	return NULL;
}

static void run_pass(struct device *device, uint32_t nthreads, uint32_t requests, char pass)
{
	uint64_t start = UINT64_MAX, end = 0;
	pthread_t ids[THREADS_MAX];
	uint32_t i;

	pthread_barrier_init(&barrier, NULL, nthreads);
	for (i = 0; i < nthreads; i++) {
		struct thread *thread = &threads[i];

		thread->device = device;
		thread->nr = i;
		thread->slots = slots / nthreads;
		thread->first = i * thread->slots;
		thread->requests = (pass == 'a' ? slots : requests) / nthreads;
		thread->write = pass != 'r';
		errno = pthread_create(&ids[i], NULL, work, thread);
		if (errno)
			err(2, "thread");
	}
	for (i = 0; i < nthreads; i++) {
		pthread_join(ids[i], NULL);
		start = threads[i].start < start ? threads[i].start : start;
		end = threads[i].end > end ? threads[i].end : end;
	}
	pthread_barrier_destroy(&barrier);
	printf("%c,%u,%s,%llu\n", pass, nthreads, device->path,
	       (unsigned long long)(end - start));
}

static void open_device(struct device *device, const char *path)
{
	uint32_t slot;

	device->path = path;
	device->fd = open(path, O_RDWR | O_DIRECT | O_EXCL);
	device->held = calloc(slots, sizeof(*device->held));
	if (device->fd < 0 || !device->held)
		err(2, "%s", path);
	for (slot = 0; slot < slots; slot++)
		write_slot(device, slot, slot % npages);
}

int main(int argc, char **argv)
{
	uint32_t requests, i, slot, ndevices = argc - 5;
	const char *pass;

	if (argc < 6 || ndevices > DEVICES_MAX)
		errx(2, "usage: pagerate SET SLOTS REQUESTS PASSES DEVICE...");
	map_set(argv[1]);
	slots = strtoul(argv[2], NULL, 0);
	requests = strtoul(argv[3], NULL, 0);
	for (i = 0; i < THREADS_MAX; i++) {
		threads[i].random = i + 1;
		threads[i].buffer = aligned_alloc(PAGE, PAGE);
		if (!threads[i].buffer)
			err(2, "memory");
		memset(threads[i].buffer, 1, PAGE);
	}
	for (i = 0; i < ndevices; i++)
		open_device(&devices[i], argv[5 + i]);
	printf("pass,threads,device,ns\n");
	for (pass = argv[4]; pass[0] && pass[1]; pass += 2) {
		uint32_t nthreads = pass[0] - '0';

		if (nthreads < 1 || nthreads > THREADS_MAX || !strchr("awr", pass[1]))
			errx(2, "unknown pass %.2s", pass);
		for (i = 0; i < ndevices; i++)
			run_pass(&devices[i], nthreads, requests, pass[1]);
	}
	for (i = 0; i < ndevices; i++)
		for (slot = 0; slot < slots; slot++) {
			read_slot(&devices[i], slot, threads[0].buffer);
			check(&devices[i], slot, threads[0].buffer);
		}
	return 0;
}
