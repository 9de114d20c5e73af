// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a set of pages to several block devices in turn and reads it back, with direct I/O, and
 * prints the times.
 *
 * usage: native SET JOBS ROUNDS PASSES NAME=DEVICE...
 *        native SET JOBS until FILE PASS DEVICE
 *
 * A round has some of these passes over all devices: w, r write and read in order and in requests
 * of 1 MiB, W, R in random order and of one page. Each time that a slot is written, it gets another
 * page of the set. The next round begins with another device. JOBS processes share the slots. All
 * pages that are read are compared, outside of the time. The result is CSV, times in nanoseconds,
 * from the start of all processes to the end of the last one.
 *
 * The second form repeats a pass until the file exists, for a profiler.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pages.h"

#define REQUEST		1048576U
#define DEVICES_MAX	4U
#define JOBS_MAX	8U
#define BATCH		256U

static struct device {
	const char *name;
	int fd;
} devices[DEVICES_MAX];
static unsigned int ndevices;

/* The set twice, so that any shift of it is in one piece; what was read. */
static uint8_t *twice, *got;
static size_t bytes;
/* The slots in random order. */
static uint32_t *shuffle;
static unsigned int jobs;
static aio_context_t aio;
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

/* Each process has a context of its own. */
static void set_up_requests(void)
{
	aio = 0;
	if (syscall(SYS_io_setup, (long)BATCH, &aio))
		err(1, "io_setup");
}

/* What to do: a letter of the passes, and how often the devices have been written before it. */
struct order {
	unsigned int device, version;
	char pass;
};

static bool is_write(const struct order *order)
{
	return order->pass == 'w' || order->pass == 'W';
}

/* The contents of a device: from version to version all pages move on. */
static const uint8_t *contents(const struct order *order)
{
	return twice + (size_t)(order->version * 37ULL % npages) * PAGE;
}

static void transfer_in_order(const struct order *order, size_t from, size_t to)
{
	int fd = devices[order->device].fd;

	for (; from < to; from += REQUEST) {
		size_t n = to - from < REQUEST ? to - from : REQUEST;
		ssize_t done = is_write(order) ? pwrite(fd, contents(order) + from, n, from) :
			pread(fd, got + from, n, from);

		if (done != (ssize_t)n)
			err(1, "%s at %zu", is_write(order) ? "write" : "read", from);
	}
}

/* Hand @n requests of a page to the kernel by one system call, as these are slow there. */
static void submit(struct iocb *requests, unsigned int n)
{
	struct iocb *pointers[BATCH];
	struct io_event events[BATCH];
	unsigned int i;

	for (i = 0; i < n; i++)
		pointers[i] = &requests[i];
	if (syscall(SYS_io_submit, aio, (long)n, pointers) != n ||
	    syscall(SYS_io_getevents, aio, (long)n, (long)n, events, NULL) != n)
		err(1, "requests of a page");
	for (i = 0; i < n; i++)
		if (events[i].res != PAGE)
			errx(1, "a request of a page: %s", strerror(-events[i].res));
}

/* In random order, the slots between @from and @to. */
static void transfer_shuffled(const struct order *order, size_t from, size_t to)
{
	struct iocb requests[BATCH] = { 0 };
	unsigned int n = 0;
	uint32_t i;

	for (i = 0; i < npages; i++) {
		size_t at = (size_t)shuffle[i] * PAGE;
		const uint8_t *data = is_write(order) ? contents(order) : got;

		if (at < from || at >= to)
			continue;
		requests[n].aio_lio_opcode = is_write(order) ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
		requests[n].aio_fildes = devices[order->device].fd;
		requests[n].aio_buf = (uintptr_t)data + at;
		requests[n].aio_nbytes = PAGE;
		requests[n].aio_offset = at;
		if (++n < BATCH)
			continue;
		submit(requests, n);
		n = 0;
	}
	if (n)
		submit(requests, n);
}

static void transfer(const struct order *order, size_t from, size_t to)
{
	if (order->pass == 'W' || order->pass == 'R')
		transfer_shuffled(order, from, to);
	else
		transfer_in_order(order, from, to);
}

static void verify(const struct order *order, size_t from, size_t to)
{
	for (; from < to; from += PAGE) {
		if (memcmp(got + from, contents(order) + from, PAGE))
			errx(3, "%s: slot %zu does not read as it was written",
			     devices[order->device].name, from / PAGE);
		/* A read that does nothing is noticed the next time. */
		got[from] = ~got[from];
	}
}

/* Returns the time when it was done. */
static uint64_t carry_out(const struct order *order, unsigned int job)
{
	size_t from = npages * (uint64_t)job / jobs * PAGE;
	size_t to = npages * (job + 1ULL) / jobs * PAGE;
	uint64_t done;

	transfer(order, from, to);
	done = now();
	if (!is_write(order))
		verify(order, from, to);
	return done;
}

static __attribute__((noreturn)) void work(const struct worker *worker, unsigned int job)
{
	struct order order;

	set_up_requests();
	while (read(worker->orders[0], &order, sizeof(order)) == sizeof(order)) {
		uint64_t done = carry_out(&order, job);

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

/* Nanoseconds of a pass over all slots. */
static uint64_t pass(const struct order *order)
{
	uint64_t start = now(), end = 0, done;
	unsigned int job;

	if (jobs == 1)
		return carry_out(order, 0) - start;
	for (job = 0; job < jobs; job++)
		if (write(workers[job].orders[1], order, sizeof(*order)) != sizeof(*order))
			err(1, "a process");
	for (job = 0; job < jobs; job++) {
		/* A worker that has failed has said why. */
		if (read(workers[job].answers[0], &done, sizeof(done)) != sizeof(done))
			exit(3);
		end = done > end ? done : end;
	}
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

static void measure(unsigned int rounds, const char *passes)
{
	unsigned int round, i, version = 0;
	const char *letter;

	printf("round,device,pass,pages,ns\n");
	for (round = 0; round < rounds; round++)
		for (letter = passes; *letter; letter++) {
			version += *letter == 'w' || *letter == 'W';
			for (i = 0; i < ndevices; i++) {
				struct order order = {
					.device = (i + round) % ndevices,
					.version = version,
					.pass = *letter,
				};

				printf("%u,%s,%c,%u,%llu\n", round, devices[order.device].name,
				       *letter, npages, (unsigned long long)pass(&order));
			}
		}
}

static void repeat(const char *until, char letter)
{
	struct order order = { .pass = 'w' };

	pass(&order);
	order.pass = letter;
	while (access(until, F_OK)) {
		order.version += is_write(&order);
		pass(&order);
	}
}

static void make_order(void)
{
	uint32_t i;

	shuffle = calloc(npages, sizeof(*shuffle));
	if (!shuffle)
		err(1, "memory");
	for (i = 0; i < npages; i++) {
		uint32_t j = random_below(i + 1);

		shuffle[i] = shuffle[j];
		shuffle[j] = i;
	}
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 6)
		errx(2, "usage: see the head of native.c");
	map_set(argv[1]);
	bytes = (size_t)npages * PAGE;
	jobs = atoi(argv[2]);
	make_order();
	set_up_requests();
	twice = allocate(2 * bytes, MAP_PRIVATE);
	got = allocate(bytes, MAP_SHARED);
	memcpy(twice, set, bytes);
	memcpy(twice + bytes, set, bytes);
	if (!jobs || jobs > JOBS_MAX)
		errx(2, "%s: from one to %u processes", argv[2], JOBS_MAX);
	if (!strcmp(argv[3], "until") && argc == 7) {
		open_device(argv[6], argv[6]);
		begin_workers();
		repeat(argv[4], argv[5][0]);
		end_workers();
		return 0;
	}
	for (i = 5; i < argc && ndevices < DEVICES_MAX; i++) {
		char *path = strchr(argv[i], '=');

		if (!path)
			errx(2, "%s is not NAME=DEVICE", argv[i]);
		*path = 0;
		open_device(argv[i], path + 1);
	}
	begin_workers();
	measure(atoi(argv[3]), argv[4]);
	end_workers();
	return 0;
}
