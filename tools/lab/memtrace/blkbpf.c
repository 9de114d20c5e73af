// SPDX-License-Identifier: GPL-2.0

#ifdef HAVE_LIBBPF
#include <err.h>
#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <bpf/libbpf.h>
#include "bpf.h"
#include "requests.bpf.h"
#include "requests.skel.h"

static struct requests *skeleton;
static struct ring_buffer *ring;
static uint64_t lost_before;

/* A device's number in the kernel. */
#define MINOR_BITS 20

static int take(void *arg, void *data, size_t size)
{
	const struct request_event *from = data;
	struct blk_event event = {
		.kind = (enum blk_kind)from->kind,
		.write = from->write,
		.time_us = from->time_us,
		.pid = (pid_t)from->pid,
		.major = from->device >> MINOR_BITS,
		.minor = from->device & ((1u << MINOR_BITS) - 1),
		.sector = from->sector,
		.sectors = from->sectors,
	};

	(void)size;
	memcpy(event.comm, from->comm, sizeof(event.comm));
	event.comm[sizeof(event.comm) - 1] = '\0';
	flights_event(arg, &event);
	return 0;
}

static int load(void)
{
	int err;

	skeleton = requests__open_and_load();
	err = skeleton ? requests__attach(skeleton) : -errno;
	if (err)
		warnx("no BPF: the kernel does not take the program: %s", strerror(-err));
	return err;
}

/**
 * blkbpf_open() - begin to listen
 *
 * Return: 0; or a negative errno, and the reason was said. Close it in either case.
 */
int blkbpf_open(void)
{
	int err;

	if (!bpf_there())
		return -ENOENT;
	/* The reason is said by us, in one line. */
	libbpf_set_print(NULL);
	err = load();
	/* libbpf has read the kernel's description of itself, some MiB. */
	malloc_trim(0);
	return err;
}

/* The ring is told where the requests go, once. */
static int listen_for(struct flights *flights)
{
	if (!ring)
		ring = ring_buffer__new(bpf_map__fd(skeleton->maps.events), take, flights, NULL);
	return ring ? 0 : -errno;
}

/**
 * blkbpf_read() - take all that has happened
 * @flights: is told of it; the same at each call
 * @lost: events that there was no room for are added to it
 *
 * Return: 0, or a negative errno.
 */
int blkbpf_read(struct flights *flights, uint64_t *lost)
{
	const volatile struct requests__bss *told = skeleton->bss;
	uint64_t lost_now = told->lost;
	int err = listen_for(flights);

	*lost += lost_now - lost_before;
	lost_before = lost_now;
	if (!err)
		err = ring_buffer__consume(ring);
	return err < 0 ? err : 0;
}

/**
 * blkbpf_close() - the end of it
 */
void blkbpf_close(void)
{
	ring_buffer__free(ring);
	ring = NULL;
	requests__destroy(skeleton);
	skeleton = NULL;
	lost_before = 0;
}
#endif
