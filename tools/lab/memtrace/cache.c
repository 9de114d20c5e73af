// SPDX-License-Identifier: GPL-2.0
/*
 * "cache": hits and misses of the page cache.
 *
 * Calls of four functions of the kernel are counted: by BPF programs; or where that cannot be, by
 * kprobes. A kprobe that is switched on counts itself (kprobe_profile); it is switched on in a
 * trace buffer of our own that is off, so that nothing is recorded. Where there are no kprobes,
 * /proc/vmstat has some of the columns.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "bpf.h"
#include "cachestat.h"
#include "parse.h"
#include "source.h"
#include "sys.h"
#include "tracefs.h"

static const char *const events[CALLS] = {
	[CALL_ACCESSED] = "accessed", [CALL_ADDED] = "added", [CALL_DIRTIED] = "dirtied",
	[CALL_BUFFERS] = "buffers",
};

const char *const call_names[CALLS][CALL_NAMES] = {
	[CALL_ACCESSED] = { "folio_mark_accessed", "mark_page_accessed" },
	[CALL_ADDED] = { "filemap_add_folio", "add_to_page_cache_lru" },
	[CALL_DIRTIED] = { "folio_account_dirtied", "account_page_dirtied", "__folio_mark_dirty" },
	[CALL_BUFFERS] = { "mark_buffer_dirty" },
};

static const struct column columns[] = {
	{ "hits", 0 }, { "misses", 0 }, { "dirtied", 0 }, { "hit_pct", 2 },
	{ "buffers_mib", 2 }, { "cached_mib", 2 }, { "majfaults", 0 }, { "refaults", 0 },
};

#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

static struct {
	enum backend by;		/* in use */
	bool touched;			/* there may be something to remove */
	struct cache_calls calls;	/* up to the last sample */
	struct cache_vmstat vmstat;
} counted;

static int add_probe(unsigned int event)
{
	int err = -ENOENT;
	size_t i;

	for (i = 0; err && i < CALL_NAMES && call_names[event][i]; i++)
		err = tracefs_probe_add(events[event], 'p', call_names[event][i]);
	if (err) {
		warnx("no kprobe on %s: %s", call_names[event][0], strerror(-err));
		return err;
	}
	err = tracefs_probe_write(events[event], "enable", "1");
	if (err)
		warnx("cannot switch on the kprobe on %s: %s", call_names[event][0],
		      strerror(-err));
	return err;
}

static int add_probes(void)
{
	unsigned int event;
	int err;

	if (!tracefs_there()) {
		warnx("no kprobes: the tracing files are not there or not ours to write; %s",
		      "as root: mount -t tracefs none /sys/kernel/tracing");
		return -ENOENT;
	}
	if (!tracefs_has("kprobe_events") || !tracefs_has("kprobe_profile")) {
		warnx("no kprobes: this kernel is built without CONFIG_KPROBE_EVENTS");
		return -ENOENT;
	}
	counted.touched = true;
	tracefs_name("memtrace");
	tracefs_clean(events, CALLS);
	err = tracefs_instance_add();
	if (!err)
		err = tracefs_instance_write("tracing_on", "0");
	if (err) {
		warnx("cannot make a trace buffer: %s", strerror(-err));
		return err;
	}
	for (event = 0; !err && event < CALLS; event++)
		err = add_probe(event);
	return err;
}

static int read_profile(struct cache_calls *calls)
{
	uint64_t *const counts[CALLS] = {
		[CALL_ACCESSED] = &calls->accessed, [CALL_ADDED] = &calls->added,
		[CALL_DIRTIED] = &calls->dirtied, [CALL_BUFFERS] = &calls->buffers,
	};
	static char text[16384];
	char name[64];
	unsigned int event;
	ssize_t n = tracefs_read("kprobe_profile", text, sizeof(text));

	if (n < 0)
		return (int)n;
	for (event = 0; event < CALLS; event++) {
		tracefs_probe_name(events[event], name, sizeof(name));
		if (!cachestat_profile(text, name, counts[event]))
			return -ENOENT;
	}
	return 0;
}

static int read_vmstat(struct cache_vmstat *vmstat)
{
	static char text[16384];
	ssize_t n = sys_read("/proc/vmstat", text, sizeof(text));

	if (n >= 0 && cachestat_vmstat(text, vmstat))
		return 0;
	warnx("cannot read %s/proc/vmstat: %s", sys_root(),
	      n < 0 ? strerror((int)-n) : "it has no pgpgin and pgmajfault");
	return n < 0 ? (int)n : -EINVAL;
}

static void remove_probes(void)
{
	unsigned int event;

	if (!counted.touched)
		return;
	tracefs_instance_remove();
	for (event = 0; event < CALLS; event++)
		tracefs_probe_remove(events[event]);
	counted.touched = false;
}

static int read_calls(struct cache_calls *calls)
{
	return counted.by == BACKEND_BPF ? callsbpf_read(calls) : read_profile(calls);
}

static void end(void)
{
	callsbpf_close();
	remove_probes();
}

/* count_by() - begin to count calls; nothing is left of it, if that fails */
static int count_by(enum backend backend)
{
	int err = backend == BACKEND_BPF ? callsbpf_open() : add_probes();

	counted.by = backend;
	if (!err)
		err = read_calls(&counted.calls);
	if (err)
		end();
	return err;
}

static int begin(const struct options *options)
{
	static const char *const names[] = {
		[BACKEND_BPF] = "BPF", [BACKEND_KPROBE] = "kprobes",
		[BACKEND_VMSTAT] = "/proc/vmstat: no hits, misses are pages read from disks",
	};
	enum backend wanted = options->backend;
	int err = -EOPNOTSUPP;

	if (wanted == BACKEND_ANY || wanted == BACKEND_BPF)
		err = count_by(BACKEND_BPF);
	if (err && (wanted == BACKEND_ANY || wanted == BACKEND_KPROBE))
		err = count_by(BACKEND_KPROBE);
	if (err && wanted != BACKEND_ANY && wanted != BACKEND_VMSTAT)
		return err;
	if (err)
		counted.by = BACKEND_VMSTAT;
	err = read_vmstat(&counted.vmstat);
	if (err)
		return err;
	warnx("cache: the source is %s", names[counted.by]);
	return 0;
}

static void fill_sizes(struct cell *cells)
{
	char text[8192];
	uint64_t kib;

	if (sys_read("/proc/meminfo", text, sizeof(text)) < 0)
		return;
	if (parse_key(text, "Buffers", &kib))
		cells[4] = cell_number((kib * 100 + 512) / 1024);
	if (parse_key(text, "Cached", &kib))
		cells[5] = cell_number((kib * 100 + 512) / 1024);
}

static void fill_vmstat(struct cell *cells, const struct cache_vmstat *now)
{
	unsigned int page_kib = (unsigned int)(sys_page_size() / 1024);

	if (counted.by == BACKEND_VMSTAT) {
		cells[1] = cell_number(cachestat_misses(&counted.vmstat, now, page_kib));
		if (now->has_dirtied)
			cells[2] = cell_number(now->dirtied - counted.vmstat.dirtied);
	}
	cells[6] = cell_number(now->major_faults - counted.vmstat.major_faults);
	if (now->has_refaults)
		cells[7] = cell_number(now->refaults - counted.vmstat.refaults);
}

static void fill_calls(struct cell *cells, const struct cache_calls *now)
{
	struct cache_figures figures;

	cachestat_calls(&counted.calls, now, &figures);
	cells[0] = cell_number(figures.hits);
	cells[1] = cell_number(figures.misses);
	cells[2] = cell_number(figures.dirtied);
	cells[3] = cell_share(figures.hits, figures.hits + figures.misses);
}

static int sample(struct out *out, struct target *target)
{
	struct cell cells[NCOLUMNS] = { { CELL_EMPTY, 0, NULL } };
	struct cache_vmstat vmstat;
	struct cache_calls calls;
	int err = read_vmstat(&vmstat);

	(void)target;
	if (!err && counted.by != BACKEND_VMSTAT) {
		err = read_calls(&calls);
		if (err)
			warnx("the kprobes are gone: somebody else has removed them");
	}
	if (err)
		return err;
	fill_vmstat(cells, &vmstat);
	fill_sizes(cells);
	if (counted.by != BACKEND_VMSTAT) {
		fill_calls(cells, &calls);
		counted.calls = calls;
	}
	counted.vmstat = vmstat;
	out_row(out, cells);
	return 0;
}

const struct source source_cache = {
	.name = "cache",
	.columns = columns,
	.ncolumns = NCOLUMNS,
	.deltas = true,
	.open = begin,
	.sample = sample,
	.close = end,
};
