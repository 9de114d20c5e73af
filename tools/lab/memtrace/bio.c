// SPDX-License-Identifier: GPL-2.0
/*
 * "bio": I/O of block devices.
 *
 * A line without a process is the sum of a device, from /proc/diskstats, which has all devices,
 * also those without requests, such as zram. Lines with a process are what the tracepoints of
 * block requests have told, to a BPF program or through a trace buffer: who issued them, and how
 * long they took.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "blktrace.h"
#include "bpf.h"
#include "diskstats.h"
#include "parse.h"
#include "source.h"
#include "sys.h"

#define DISKS 128U

static const struct column columns[] = {
	{ "device", 0 }, { "pid", 0 }, { "name", 0 }, { "reads", 0 }, { "writes", 0 },
	{ "read_kib", 1 }, { "write_kib", 1 }, { "latency_us", 0 },
};

#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

static struct {
	const char *device;		/* only this one, or NULL */
	enum backend by;		/* processes; BACKEND_DISKSTATS: they are not known */
	struct disk disks[DISKS];	/* as of the last sample */
	size_t ndisks;
	struct flights flights;
	uint64_t lost;
} bio;

/* A partition's I/O is its disk's, too. */
static bool wanted(const struct disk *disk)
{
	char path[128];

	if (!disk->name[0])
		return false;
	if (bio.device)
		return strcmp(disk->name, bio.device) == 0;
	snprintf(path, sizeof(path), "/sys/class/block/%s/partition", disk->name);
	return !sys_exists(path);
}

/* Returns how many, or a negative errno with the reason said. */
static int read_disks(struct disk *disks)
{
	static char text[65536];
	const char *line = text;
	unsigned int n = 0;
	ssize_t ret = sys_read("/proc/diskstats", text, sizeof(text));

	if (ret < 0) {
		warnx("cannot read %s/proc/diskstats: %s", sys_root(), strerror((int)-ret));
		return (int)ret;
	}
	while (line && *line && n < DISKS) {
		line = diskstats_line(line, &disks[n]);
		if (wanted(&disks[n]))
			n++;
	}
	if (bio.device && !n) {
		warnx("no block device \"%s\": see /proc/diskstats for their names", bio.device);
		return -ENODEV;
	}
	return (int)n;
}

/* listen_by() - begin to listen; nothing is left of it, if that fails */
static int listen_by(enum backend backend)
{
	int err;

	bio.by = backend;
	if (backend == BACKEND_BPF) {
		err = blkbpf_open();
		if (err)
			blkbpf_close();
	} else {
		err = blktrace_open();
		if (err)
			blktrace_close();
	}
	return err;
}

static int begin(const struct options *options)
{
	static const char *const names[] = {
		[BACKEND_BPF] = " for devices, and BPF for processes",
		[BACKEND_TRACE] = " for devices, and tracepoints for processes",
		[BACKEND_DISKSTATS] = ", without processes",
	};
	enum backend wanted = options->backend;
	int n, err = -EOPNOTSUPP;

	bio.device = options->device;
	n = read_disks(bio.disks);
	if (n < 0)
		return n;
	bio.ndisks = (size_t)n;
	if (wanted == BACKEND_ANY || wanted == BACKEND_BPF)
		err = listen_by(BACKEND_BPF);
	if (err && (wanted == BACKEND_ANY || wanted == BACKEND_TRACE))
		err = listen_by(BACKEND_TRACE);
	if (err && wanted != BACKEND_ANY && wanted != BACKEND_DISKSTATS)
		return err;
	if (err)
		bio.by = BACKEND_DISKSTATS;
	warnx("bio: the source is /proc/diskstats%s", names[bio.by]);
	return 0;
}

/* Half a KiB is a sector: five tenths. */
static void fill(struct cell *cells, uint64_t reads, uint64_t writes, uint64_t read_sectors,
		 uint64_t written_sectors, uint64_t us)
{
	cells[3] = cell_number(reads);
	cells[4] = cell_number(writes);
	cells[5] = cell_number(read_sectors * 5);
	cells[6] = cell_number(written_sectors * 5);
	if (reads + writes)
		cells[7] = cell_number((us + (reads + writes) / 2) / (reads + writes));
}

static void disk_row(struct out *out, const struct disk *now)
{
	const struct disk *before = diskstats_find(bio.disks, bio.ndisks, now->major, now->minor);
	struct cell cells[NCOLUMNS] = { { CELL_EMPTY, 0, NULL } };
	struct disk delta;

	diskstats_delta(before, now, &delta);
	if (!bio.device && !delta.reads && !delta.writes)
		return;
	cells[0] = cell_text(now->name);
	fill(cells, delta.reads, delta.writes, delta.read_sectors, delta.written_sectors,
	     delta.ms * 1000);
	out_row(out, cells);
}

static void user_row(struct out *out, const struct flight_user *user, const char *device)
{
	struct cell cells[NCOLUMNS] = { { CELL_EMPTY, 0, NULL } };

	cells[0] = cell_text(device);
	cells[1] = cell_number((uint64_t)user->pid);
	cells[2] = cell_text(user->comm);
	fill(cells, user->reads, user->writes, user->read_sectors, user->written_sectors, user->us);
	out_row(out, cells);
}

static int user_rows(struct out *out, const struct disk *disks, size_t n)
{
	int err = bio.by == BACKEND_BPF ? blkbpf_read(&bio.flights, &bio.lost) :
				  blktrace_read(&bio.flights, &bio.lost);
	size_t i;

	if (err) {
		warnx("cannot read the trace: %s", strerror(-err));
		return err;
	}
	for (i = 0; i < bio.flights.nusers; i++) {
		const struct flight_user *user = &bio.flights.users[i];
		const struct disk *disk = diskstats_find(disks, n, user->major, user->minor);

		if (disk)
			user_row(out, user, disk->name);
	}
	flights_reset_users(&bio.flights);
	return 0;
}

static int sample(struct out *out, struct target *target)
{
	static struct disk disks[DISKS];
	int i, n = read_disks(disks), err = 0;

	(void)target;
	if (n < 0)
		return n;
	for (i = 0; i < n; i++)
		disk_row(out, &disks[i]);
	if (bio.by != BACKEND_DISKSTATS)
		err = user_rows(out, disks, (size_t)n);
	memcpy(bio.disks, disks, (size_t)n * sizeof(disks[0]));
	bio.ndisks = (size_t)n;
	return err;
}

static void end(void)
{
	blkbpf_close();
	blktrace_close();
	if (bio.lost || bio.flights.dropped)
		warnx("bio: %llu events were lost and %llu requests not counted: %s",
		      (unsigned long long)bio.lost, (unsigned long long)bio.flights.dropped,
		      "processes' lines show less than there was");
}

const struct source source_bio = {
	.name = "bio",
	.columns = columns,
	.ncolumns = NCOLUMNS,
	.deltas = true,
	.open = begin,
	.sample = sample,
	.close = end,
};
