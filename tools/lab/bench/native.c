// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a set of pages to several block devices in turn and reads it back, with direct I/O in
 * requests of 1 MiB, and prints the times.
 *
 * usage: native SET JOBS ROUNDS NAME=DEVICE...
 *        native SET JOBS until FILE PASS DEVICE
 *
 * In each round all devices are written, each slot with another page of the set than in the last
 * round, and all are read; the next round begins with another device. JOBS processes share the
 * slots. All pages that are read are compared, outside of the time. The result is CSV, times in
 * nanoseconds, from the start of all processes to the end of the last one.
 *
 * The second form repeats the pass w or r until the file exists, for a profiler.
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
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pages.h"

#define REQUEST		(1U << 20)
#define DEVICES_MAX	4U

static struct device {
	const char *name;
	int fd;
} devices[DEVICES_MAX];
static unsigned int ndevices;

/* The set twice, so that any shift of it is in one piece; what was read. */
static uint8_t *twice, *got;
static size_t bytes;
static unsigned int jobs;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static uint8_t *allocate(size_t size, int flags)
{
	uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			       flags | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "memory");
	return memory;
}

/* The contents of the device in this round: all pages move on by a number that shares no factor. */
static const uint8_t *contents(unsigned int round)
{
	return twice + (size_t)(round * 37ULL % npages) * PAGE;
}

static void transfer(int fd, bool write, size_t from, size_t to, unsigned int round)
{
	while (from < to) {
		size_t n = to - from < REQUEST ? to - from : REQUEST;
		ssize_t done = write ? pwrite(fd, contents(round) + from, n, from) :
			pread(fd, got + from, n, from);

		if (done != (ssize_t)n)
			err(1, "%s at %zu", write ? "write" : "read", from);
		from += n;
	}
}

static void verify(const char *name, size_t from, size_t to, unsigned int round)
{
	for (; from < to; from += PAGE) {
		if (memcmp(got + from, contents(round) + from, PAGE))
			errx(3, "%s: slot %zu does not read as it was written", name, from / PAGE);
		/* A read that does nothing is noticed the next time. */
		got[from] = ~got[from];
	}
}

/* One of the processes; it waits until @gate is closed, and says when it is done by @done. */
static void work(const struct device *device, bool write, unsigned int round, unsigned int job,
		 const int *gate, uint64_t *done)
{
	size_t from = npages * (uint64_t)job / jobs * PAGE;
	size_t to = npages * (job + 1ULL) / jobs * PAGE;
	char byte;

	close(gate[1]);
	if (read(gate[0], &byte, 1))
		_exit(1);
	transfer(device->fd, write, from, to, round);
	*done = now();
	if (!write)
		verify(device->name, from, to, round);
	_exit(0);
}

static uint64_t in_jobs(const struct device *device, bool write, unsigned int round)
{
	uint64_t *done = (void *)allocate(PAGE, MAP_SHARED), start, end = 0;
	unsigned int job;
	int gate[2];

	if (pipe(gate))
		err(1, "pipe");
	for (job = 0; job < jobs; job++)
		if (!fork())
			work(device, write, round, job, gate, &done[job]);
	start = now();
	close(gate[0]);
	close(gate[1]);
	for (job = 0; job < jobs; job++) {
		int status;

		if (wait(&status) < 0 || status)
			errx(3, "%s: a process failed", device->name);
	}
	for (job = 0; job < jobs; job++)
		end = done[job] > end ? done[job] : end;
	munmap(done, PAGE);
	return end - start;
}

/* Nanoseconds of a pass over all slots. */
static uint64_t pass(const struct device *device, bool write, unsigned int round)
{
	uint64_t start, end;

	if (jobs > 1)
		return in_jobs(device, write, round);
	start = now();
	transfer(device->fd, write, 0, bytes, round);
	end = now();
	if (!write)
		verify(device->name, 0, bytes, round);
	return end - start;
}

static void open_device(char *name, const char *path)
{
	struct device *device = &devices[ndevices++];

	device->name = name;
	device->fd = open(path, O_RDWR | O_DIRECT | O_EXCL);
	if (device->fd < 0)
		err(1, "%s", path);
}

static void measure(unsigned int rounds)
{
	unsigned int round, i, kind;

	printf("round,device,pass,pages,ns\n");
	for (round = 0; round < rounds; round++)
		for (kind = 0; kind < 2; kind++)
			for (i = 0; i < ndevices; i++) {
				const struct device *device = &devices[(i + round) % ndevices];
				uint64_t ns = pass(device, !kind, round);

				printf("%u,%s,%c,%u,%llu\n", round, device->name,
				       kind ? 'r' : 'w', npages, (unsigned long long)ns);
			}
}

static void repeat(const char *until, bool write)
{
	unsigned int round = 0;

	pass(&devices[0], true, round);
	while (access(until, F_OK)) {
		round += write;
		pass(&devices[0], write, round);
	}
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 5)
		errx(2, "usage: native SET JOBS ROUNDS NAME=DEVICE... | until FILE PASS DEVICE");
	map_set(argv[1]);
	bytes = (size_t)npages * PAGE;
	jobs = atoi(argv[2]);
	twice = allocate(2 * bytes, MAP_PRIVATE);
	got = allocate(bytes, MAP_SHARED);
	memcpy(twice, set, bytes);
	memcpy(twice + bytes, set, bytes);
	if (!strcmp(argv[3], "until") && argc == 7) {
		open_device(argv[6], argv[6]);
		repeat(argv[4], argv[5][0] == 'w');
		return 0;
	}
	for (i = 4; i < argc && ndevices < DEVICES_MAX; i++) {
		char *path = strchr(argv[i], '=');

		if (!path)
			errx(2, "%s is not NAME=DEVICE", argv[i]);
		*path = 0;
		open_device(argv[i], path + 1);
	}
	measure(atoi(argv[3]));
	return 0;
}
