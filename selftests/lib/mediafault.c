// SPDX-License-Identifier: GPL-2.0
/*
 * Lets each operation of a workload on the medium below fail, one at a time: `mediafault [-s SEED]
 * [-n OPS] [-e STEP] [-c] SIM ATTACH FAULT[,FLAG...]...`.
 *
 * SIM is the name of a device of mtdsim, ATTACH the options to attach a device on it; -n sets the
 * length of the workload, -c says that the driver erases the medium, for an eraseblock cache or a
 * log. For each n from 1 on (each STEPth): make the medium new, attach the device, set the fault to
 * the nth operation of its kind, run the workload and read everything again; until n is beyond the
 * last operation.
 *
 * The workload is the same each time: whole pages, pages in eight pieces as from mtdblock, some
 * sectors, reads, erases and syncs. For each sector the model keeps a set of allowed contents:
 * exactly the new contents after a successful write; these or the ones before after a failed write.
 * The first read settles which. A read must give one of these or EIO. Any other result prints a
 * line `WRONG ...`.
 *
 * FLAGs say which effects of the fault are allowed:
 *   invisible  none: no read or write fails
 *   silent     the medium reports no error, so the driver may not know of the loss
 *   power      the power goes off, and is on again before the final read
 *
 * Prints for each fault a line of figures:
 * `FAULT faults N reads N eio N writes N failed N lost N wrong N other N leaks N`.
 * Exit status 1 if anything was wrong.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <mtd/mtd-user.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "mtdnum.h"
#include "pattern.h"

/* The workload needs this page size; main() checks the machine's. */
#define PAGE		4096
#define PAGES		24
#define SECTOR		512
#define PER_PAGE	(PAGE / SECTOR)
#define SECTORS		(PAGES * PER_PAGE)
#define OPS_MAX		400
#define WRITE_MAX	(3 * PAGE)
#define SET_MAX		64
/* The operation number for contents that were never written: 0xff. */
#define BLANK		(-1)
#define NAME		"mfault"

enum op_kind { WRITE, READ, ERASE, SYNC };

static struct op {
	enum op_kind kind;
	int sector;
	int n;
	uint8_t *data;
} ops[OPS_MAX + PAGES];
static int nops = 60;

/* Allowed contents of a sector, as numbers of the operations that wrote them. */
static struct set {
	int n;
	int16_t by[SET_MAX];
} may[SECTORS], before[PER_PAGE];

/* A page that is being written piece by piece from its beginning, and its next sector. */
static int run_page, run_next;

static struct sums {
	unsigned long faults, reads, eio, writes, failed, lost, wrong, other, leaks;
} sums;

static const char *sim, *fault;
static unsigned long nth;
static bool invisible, silent, power, cached;
static uint64_t seed = 1;
static char dev_path[32];
static int fd = -1;

__attribute__((format(printf, 2, 3)))
static void bad(unsigned long *count, const char *format, ...)
{
	va_list args;

	if (++*count > 5)
		return;
	printf("WRONG %s %lu: ", fault, nth);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* ---------------------------------------------------------------- files */

static void put(const char *path, const char *text)
{
	int file = open(path, O_WRONLY);

	if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
		err(2, "%s: \"%s\"", path, text);
	close(file);
}

static const char *get(const char *path)
{
	static char text[8192];
	int file = open(path, O_RDONLY);
	size_t len = 0;
	ssize_t n;

	if (file < 0)
		err(2, "%s", path);
	while ((n = read(file, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	close(file);
	text[len] = '\0';
	return text;
}

static const char *sim_file(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/mtdsim/%s/%s", sim, name);
	return path;
}

/* The number after "KEY: " in the text of a file. */
static unsigned long figure(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (; text && *text; text = strchr(text, '\n'), text += !!text)
		if (!strncmp(text, key, len) && text[len] == ':')
			return strtoul(text + len + 1, NULL, 10);
	errx(2, "no \"%s\"", key);
}

static unsigned long stat_of(const char *key)
{
	return figure(get("/proc/mtdcompr/" NAME), key);
}

/* Usually the number is the same each time, but do not rely on it. */
static void find_dev(void)
{
	int nr = mtd_num(NAME);

	if (nr < 0)
		errx(2, "no MTD");
	snprintf(dev_path, sizeof(dev_path), "/dev/mtd%d", nr);
}

static void reopen(void)
{
	int tries = 0;

	if (fd >= 0)
		close(fd);
	/* The node appears soon after the MTD. */
	while ((fd = open(dev_path, O_RDWR)) < 0 && errno == ENOENT && tries++ < 2000)
		usleep(1000);
	if (fd < 0)
		err(2, "%s", dev_path);
}

static bool fault_hit(void)
{
	const char *text = get(sim_file(fault)), *hits = strstr(text, "hits ");

	return hits && strtoul(hits + 5, NULL, 10) > 0;
}

/* ---------------------------------------------------------------- workload */

static int below(uint64_t r, int n)
{
	return (int)((uint32_t)r % (uint32_t)n);
}

static void make_write(struct op *op, uint64_t *rng, int nr)
{
	uint64_t r = pat_next(rng);
	int page = below(r >> 8, PAGES), i;

	op->kind = WRITE;
	op->sector = page * PER_PAGE;
	op->n = PER_PAGE;
	if (r % 8 == 0) {
		/* Some sectors, possibly across two or three pages. */
		op->sector += below(r >> 20, PER_PAGE);
		op->n = 1 + below(r >> 30, (2 * PER_PAGE));
	} else if (r % 8 < 3) {
		op->sector += below(r >> 20, PER_PAGE);
		op->n = 1 + below(r >> 30, 3);
	}
	if (op->sector + op->n > SECTORS)
		op->n = SECTORS - op->sector;
	op->data = malloc(WRITE_MAX);
	if (!op->data)
		err(2, "malloc");
	for (i = 0; i < WRITE_MAX / PAGE; i++)
		pat_page(op->data + i * PAGE, PAT_MIX, seed, (uint64_t)page + i, nr + 1);
}

/* Pages as mtdblock writes them: eight operations. */
static void make_pieces(struct op *op, uint64_t *rng, int nr)
{
	struct op whole;
	int i;

	make_write(&whole, rng, nr);
	whole.sector -= whole.sector % PER_PAGE;
	for (i = 0; i < PER_PAGE; i++)
		op[i] = (struct op){ WRITE, whole.sector + i, 1, whole.data + i * SECTOR };
}

static void make_workload(void)
{
	uint64_t rng = pat_hash(seed, 17, 4);
	int at;

	for (at = 0; at < nops; at++) {
		struct op *op = &ops[at];
		uint64_t r = pat_next(&rng);
		int what = (int)(r % 100);

		op->sector = below(r >> 8, SECTORS);
		op->n = 1 + below(r >> 24, 12);
		if (op->sector + op->n > SECTORS)
			op->n = SECTORS - op->sector;
		if (at < PAGES || what < 40) {
			make_write(op, &rng, at);
		} else if (what < 52 && at + PER_PAGE <= nops) {
			make_pieces(op, &rng, at);
			at += PER_PAGE - 1;
		} else if (what < 86) {
			op->kind = READ;
		} else if (what < 91) {
			op->kind = ERASE;
			op->sector -= op->sector % PER_PAGE;
			op->n = PER_PAGE;
		} else {
			op->kind = SYNC;
		}
	}
}

/* ---------------------------------------------------------------- the model */

static const uint8_t *contents(int by, int sector)
{
	static const uint8_t blank[SECTOR] = { [0 ... SECTOR - 1] = 0xff };

	return by == BLANK ? blank : ops[by].data + (sector - ops[by].sector) * SECTOR;
}

static void only(struct set *set, int by)
{
	set->n = 1;
	set->by[0] = (int16_t)by;
}

static void also(struct set *set, int by)
{
	int i;

	for (i = 0; i < set->n; i++)
		if (set->by[i] == by)
			return;
	if (set->n == SET_MAX)
		errx(2, "more than %d versions of a sector", SET_MAX);
	set->by[set->n++] = (int16_t)by;
}

static void end_run(void)
{
	run_page = -1;
}

/* Is this the next piece of a page, or its first one? */
static bool in_run(const struct op *op)
{
	int page = op->sector / PER_PAGE, at = op->sector % PER_PAGE;

	if (at + op->n > PER_PAGE)
		return false;
	if (page == run_page && at == run_next)
		return true;
	if (at)
		return false;
	run_page = page;
	run_next = 0;
	memcpy(before, &may[op->sector], sizeof(before));
	return true;
}

/*
 * A page in pieces is one write: if its last piece fails, the pieces before may be lost, too,
 * although they succeeded.
 */
static void model_write(const struct op *op, bool done)
{
	bool running = in_run(op);
	int by = (int)(op - ops), i, k;

	for (i = op->sector; i < op->sector + op->n; i++) {
		if (done)
			only(&may[i], by);
		else
			also(&may[i], by);
	}
	if (running && !done) {
		for (i = 0; i < PER_PAGE; i++)
			for (k = 0; k < before[i].n; k++)
				also(&may[run_page * PER_PAGE + i], before[i].by[k]);
	}
	if (running)
		run_next += op->n;
	if (!running || !done || run_next == PER_PAGE)
		end_run();
}

/* Are these contents allowed? */
static void check_sector(int sector, const uint8_t *got)
{
	struct set *set = &may[sector];
	int i;

	for (i = 0; i < set->n; i++) {
		if (!memcmp(got, contents(set->by[i], sector), SECTOR)) {
			/* The read settles the contents: later reads must return the same. */
			only(set, set->by[i]);
			return;
		}
	}
	bad(&sums.wrong, "sector %d (page %d) has %02x %02x %02x %02x..., none of %d versions",
	    sector, sector / PER_PAGE, got[0], got[1], got[2], got[3], set->n);
}

/* ---------------------------------------------------------------- operations */

static bool do_read(int sector, int n)
{
	uint8_t got[16 * SECTOR];
	size_t len = (size_t)n * SECTOR;
	ssize_t ret;
	int i;

	/* Fill the buffer with other bytes, so that a read that stores nothing is noticed. */
	memset(got, 0x5a ^ (int)nth, len);
	errno = 0;
	ret = pread(fd, got, len, (off_t)sector * SECTOR);
	sums.reads++;
	if (run_page >= 0 && sector / PER_PAGE <= run_page &&
	    (sector + n - 1) / PER_PAGE >= run_page)
		end_run();
	if (ret != (ssize_t)len) {
		sums.eio++;
		if (ret >= 0 || errno != EIO)
			bad(&sums.other, "read of sector %d: %zd, %s", sector, ret,
			    strerrorname_np(errno));
		else if (invisible)
			bad(&sums.other, "read of sector %d fails", sector);
		return false;
	}
	for (i = 0; i < n; i++)
		check_sector(sector + i, got + i * SECTOR);
	return true;
}

static bool do_write(const struct op *op)
{
	size_t len = (size_t)op->n * SECTOR;
	ssize_t ret;

	errno = 0;
	ret = pwrite(fd, op->data, len, (off_t)op->sector * SECTOR);
	sums.writes++;
	model_write(op, ret == (ssize_t)len);
	if (ret == (ssize_t)len)
		return true;
	sums.failed++;
	if (ret >= 0 || (errno != EIO && errno != ENOSPC))
		bad(&sums.other, "write of sector %d: %zd, %s", op->sector, ret,
		    strerrorname_np(errno));
	else if (invisible)
		bad(&sums.other, "write of sector %d fails: %s", op->sector,
		    strerrorname_np(errno));
	return false;
}

static void do_erase(int sector, int n)
{
	struct erase_info_user ei = {
		(uint32_t)sector * SECTOR, (uint32_t)n * SECTOR
	};
	int i;

	if (ioctl(fd, MEMERASE, &ei)) {
		bad(&sums.other, "erase fails: %s", strerrorname_np(errno));
		return;
	}
	for (i = sector; i < sector + n; i++)
		only(&may[i], BLANK);
	end_run();
}

static void do_workload(void)
{
	int i;

	for (i = 0; i < nops; i++) {
		const struct op *op = &ops[i];

		switch (op->kind) {
		case WRITE:
			do_write(op);
			break;
		case READ:
			do_read(op->sector, op->n);
			break;
		case ERASE:
			do_erase(op->sector, op->n);
			break;
		case SYNC:
			/* Closing an MTD that was open for writing syncs it. */
			reopen();
			end_run();
			break;
		}
	}
}

/* Read everything when the medium works again. Return: the number of unreadable pages. */
static int read_all(bool *gone)
{
	int page, i, n = 0;

	for (page = 0; page < PAGES; page++) {
		gone[page] = false;
		for (i = 0; i < PER_PAGE; i += 2)
			gone[page] |= !do_read(page * PER_PAGE + i, 2);
		n += gone[page];
	}
	return n;
}

/* A lost page can be written again, and then reads as written. */
static void heal(const bool *gone)
{
	int page, i;

	for (page = 0; page < PAGES; page++) {
		struct op *op = &ops[OPS_MAX + page];

		if (!gone[page])
			continue;
		*op = (struct op){ WRITE, page * PER_PAGE, PER_PAGE, ops[0].data };
		if (!do_write(op))
			bad(&sums.other, "page %d can't be written again", page);
		for (i = 0; i < PER_PAGE; i += 2)
			if (!do_read(page * PER_PAGE + i, 2))
				bad(&sums.other, "page %d can't be read again", page);
	}
}

/* After an erase of everything no media may be in use. */
static void check_leaks(void)
{
	const char *text;

	do_erase(0, SECTORS);
	text = get("/proc/mtdcompr/" NAME);
	if (figure(text, "media_used_bytes") || figure(text, "pages_stored") ||
	    figure(text, "free_fragments") != 1)
		bad(&sums.leaks, "after an erase of all, media_used_bytes %lu, free_fragments %lu",
		    figure(text, "media_used_bytes"), figure(text, "free_fragments"));
}

static void check_counts(int gone)
{
	unsigned long lost = stat_of("pages_lost");

	sums.lost += lost;
	/* If the medium drops data silently, only the checksum notices. */
	if (!silent && (unsigned long)gone != lost)
		bad(&sums.other, "%d pages can't be read, but pages_lost is %lu", gone, lost);
	if (silent && gone && !lost && !stat_of("err_checksum") && !stat_of("err_media_read"))
		bad(&sums.other, "%d pages can't be read, and nothing was counted", gone);
	/* The driver must not give up a good block because of a power failure. */
	if (cached && power && stat_of("blocks_retired"))
		bad(&sums.other, "%lu blocks retired", stat_of("blocks_retired"));
	if (cached && strcmp(fault, "lost_erase_at") &&
	    figure(get(sim_file("counters")), "violations"))
		bad(&sums.other, "the rules of the medium were violated");
}

/* Return: false if the workload has fewer than n operations. */
static bool one_fault(const char *attach)
{
	bool gone[PAGES];
	char text[32];
	bool hit;
	int i;

	put(sim_file("renew"), "1");
	put("/sys/devices/mtdcompr/attach", attach);
	find_dev();
	for (i = 0; i < SECTORS; i++)
		only(&may[i], BLANK);
	end_run();
	reopen();
	snprintf(text, sizeof(text), "%lu", nth);
	put(sim_file(fault), text);
	do_workload();
	hit = fault_hit();
	put(sim_file(fault), "off");
	put(sim_file("power_on"), "1");
	sums.faults += hit;
	i = read_all(gone);
	check_counts(i);
	heal(gone);
	check_leaks();
	close(fd);
	fd = -1;
	put("/sys/devices/mtdcompr/detach", NAME);
	return hit;
}

static void take_flags(char *spec)
{
	char *flag;

	invisible = false;
	silent = false;
	power = false;
	fault = strsep(&spec, ",");
	while ((flag = strsep(&spec, ","))) {
		invisible |= !strcmp(flag, "invisible");
		silent |= !strcmp(flag, "silent");
		power |= !strcmp(flag, "power");
	}
}

int main(int argc, char **argv)
{
	unsigned long step = 1;
	bool failed = false;
	char attach[128];
	int opt;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (PAT_PAGE != PAGE)
		errx(2, "for pages of 4 KiB only");
	while ((opt = getopt(argc, argv, "s:n:e:c")) != -1) {
		if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (opt == 'n')
			nops = atoi(optarg);
		else if (opt == 'e')
			step = strtoul(optarg, NULL, 0);
		else if (opt == 'c')
			cached = true;
		else
			return 2;
	}
	if (argc - optind < 3 || nops < PAGES || nops > OPS_MAX || !step)
		errx(2, "-n %d to %d, -e 1 or more, SIM ATTACH FAULT...", PAGES, OPS_MAX);
	sim = argv[optind++];
	snprintf(attach, sizeof(attach), "%s,%s,name=" NAME, sim, argv[optind++]);
	make_workload();
	for (; optind < argc; optind++) {
		take_flags(argv[optind]);
		memset(&sums, 0, sizeof(sums));
		/* With a STEP, start at a different operation for each seed. */
		nth = 1 + seed % step;
		while (one_fault(attach))
			nth += step;
		printf("%s faults %lu reads %lu eio %lu writes %lu failed %lu lost %lu ", fault,
		       sums.faults, sums.reads, sums.eio, sums.writes, sums.failed, sums.lost);
		printf("wrong %lu other %lu leaks %lu\n", sums.wrong, sums.other, sums.leaks);
		failed |= sums.wrong || sums.other || sums.leaks;
	}
	return failed;
}
