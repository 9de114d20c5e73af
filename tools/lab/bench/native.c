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
#define JOBS_MAX	8U

static struct device {
	const char *name;
	int fd;
} devices[DEVICES_MAX];
static unsigned int ndevices;

/* The set twice, so that any shift of it is in one piece; what was read. */
static uint8_t *twice, *got;
static size_t bytes;
static unsigned int jobs;
static struct worker {
	int orders[2], answers[2];
} workers[JOBS_MAX];

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

/* What a worker is told to do; it answers with the time when it was done. */
struct order {
	unsigned int device, round;
	bool write;
};

static __attribute__((noreturn)) void work(const struct worker *worker, unsigned int job)
{
	size_t from = npages * (uint64_t)job / jobs * PAGE;
	size_t to = npages * (job + 1ULL) / jobs * PAGE;
	struct order order;

	while (read(worker->orders[0], &order, sizeof(order)) == sizeof(order)) {
		const struct device *device = &devices[order.device];
		uint64_t done;

		transfer(device->fd, order.write, from, to, order.round);
		done = now();
		if (!order.write)
			verify(device->name, from, to, order.round);
		if (write(worker->answers[1], &done, sizeof(done)) != sizeof(done))
			break;
	}
	_exit(0);
}

/* Begun once, so that no pass has page faults. */
static void begin_workers(void)
{
	unsigned int job;

	for (job = 0; job < jobs && jobs > 1; job++) {
		if (pipe(workers[job].orders) || pipe(workers[job].answers))
			err(1, "pipe");
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			close(workers[job].orders[1]);
			work(&workers[job], job);
		default:
			close(workers[job].orders[0]);
			close(workers[job].answers[1]);
		}
	}
}

/* The device is closed by all, so that it can be detached. */
static void end_workers(void)
{
	unsigned int job;

	for (job = 0; job < jobs && jobs > 1; job++)
		close(workers[job].orders[1]);
	while (wait(NULL) > 0)
		;
}

static uint64_t in_jobs(unsigned int device, bool write_it, unsigned int round)
{
	struct order order = { .device = device, .round = round, .write = write_it };
	uint64_t start = now(), end = 0, done;
	unsigned int job;

	for (job = 0; job < jobs; job++)
		if (write(workers[job].orders[1], &order, sizeof(order)) != sizeof(order))
			err(1, "a process");
	for (job = 0; job < jobs; job++) {
		/* A worker that has failed has said why. */
		if (read(workers[job].answers[0], &done, sizeof(done)) != sizeof(done))
			exit(3);
		end = done > end ? done : end;
	}
	return end - start;
}

/* Nanoseconds of a pass over all slots. */
static uint64_t pass(unsigned int nr, bool write, unsigned int round)
{
	const struct device *device = &devices[nr];
	uint64_t start, end;

	if (jobs > 1)
		return in_jobs(nr, write, round);
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
				unsigned int nr = (i + round) % ndevices;
				uint64_t ns = pass(nr, !kind, round);

				printf("%u,%s,%c,%u,%llu\n", round, devices[nr].name,
				       kind ? 'r' : 'w', npages, (unsigned long long)ns);
			}
}

static void repeat(const char *until, bool write)
{
	unsigned int round = 0;

	pass(0, true, round);
	while (access(until, F_OK)) {
		round += write;
		pass(0, write, round);
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
	if (!jobs || jobs > JOBS_MAX)
		errx(2, "%s: from one to %u processes", argv[2], JOBS_MAX);
	if (!strcmp(argv[3], "until") && argc == 7) {
		open_device(argv[6], argv[6]);
		begin_workers();
		repeat(argv[4], argv[5][0] == 'w');
		end_workers();
		return 0;
	}
	for (i = 4; i < argc && ndevices < DEVICES_MAX; i++) {
		char *path = strchr(argv[i], '=');

		if (!path)
			errx(2, "%s is not NAME=DEVICE", argv[i]);
		*path = 0;
		open_device(argv[i], path + 1);
	}
	begin_workers();
	measure(atoi(argv[3]));
	end_workers();
	return 0;
}
