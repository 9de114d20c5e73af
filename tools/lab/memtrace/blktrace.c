// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "blktrace.h"
#include "tracefs.h"

static struct {
	bool made;			/* the trace buffer is there */
	int fd;				/* trace_pipe, or -1 */
	char buf[65536];
	size_t have;			/* the beginning of a line that is not all there */
} listener = { .fd = -1 };

static int prepare(void)
{
	/* The clock first: what is in the buffer is thrown away when it changes. */
	static const char *const settings[][2] = {
		{ "trace_clock", "mono" },
		{ "events/block/block_rq_insert/enable", "1" },
		{ "events/block/block_rq_issue/enable", "1" },
		{ "events/block/block_rq_complete/enable", "1" },
		{ "tracing_on", "1" },
	};
	size_t i;
	int err;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		err = tracefs_instance_write(settings[i][0], settings[i][1]);
		if (err) {
			warnx("cannot set %s in the tracing files: %s", settings[i][0],
			      strerror(-err));
			return err;
		}
	}
	return 0;
}

/**
 * blktrace_open() - begin to listen
 *
 * Return: 0; or a negative errno, and the reason was said. Close it in either case.
 */
int blktrace_open(void)
{
	int err;

	if (!tracefs_there()) {
		warnx("no tracepoints: the tracing files are not there or not ours to write; %s",
		      "as root: mount -t tracefs none /sys/kernel/tracing");
		return -ENOENT;
	}
	if (!tracefs_has("events/block/block_rq_issue")) {
		warnx("no tracepoints of block requests: this kernel is built without them");
		return -ENOENT;
	}
	tracefs_name("memtrace");
	tracefs_clean(NULL, 0);
	err = tracefs_instance_add();
	if (err) {
		warnx("cannot make a trace buffer: %s", strerror(-err));
		return err;
	}
	listener.made = true;
	listener.fd = tracefs_open_pipe();
	if (listener.fd < 0) {
		err = listener.fd;
		warnx("cannot read the trace: %s", strerror(-err));
		return err;
	}
	return prepare();
}

static void take_lines(struct flights *flights, uint64_t *lost)
{
	char *line = listener.buf, *end;
	struct blk_event event;

	while ((end = memchr(line, '\n', listener.have))) {
		*end = '\0';
		*lost += blkline_lost(line);
		if (blkline_parse(line, &event) == 0)
			flights_event(flights, &event);
		listener.have -= (size_t)(end + 1 - line);
		line = end + 1;
	}
	memmove(listener.buf, line, listener.have);
	/* No line of ours is that long. */
	if (listener.have == sizeof(listener.buf))
		listener.have = 0;
}

/**
 * blktrace_read() - take all that has happened
 * @flights: is told of it
 * @lost: events that the kernel had no room for are added to it
 *
 * Return: 0, or a negative errno.
 */
int blktrace_read(struct flights *flights, uint64_t *lost)
{
	ssize_t n;

	for (;;) {
		n = read(listener.fd, listener.buf + listener.have,
			 sizeof(listener.buf) - listener.have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			return -errno;
		if (n <= 0)
			return 0;
		listener.have += (size_t)n;
		take_lines(flights, lost);
	}
}

/**
 * blktrace_close() - remove all that was made in the tracing files
 */
void blktrace_close(void)
{
	if (listener.fd >= 0)
		close(listener.fd);
	listener.fd = -1;
	if (listener.made)
		tracefs_instance_remove();
	listener.made = false;
}
