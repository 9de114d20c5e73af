// SPDX-License-Identifier: GPL-2.0
/*
 * "sys": the memory of the system. The columns are those of appendix D of the thesis, which took
 * them from free and vmstat; here they are from /proc/meminfo, by the same arithmetic.
 */
#include <err.h>
#include <errno.h>
#include <string.h>
#include "parse.h"
#include "source.h"
#include "sys.h"

static const struct column columns[] = {
	{ "ram_total", 0 }, { "ram_free", 0 }, { "ram_free_pct", 2 },
	{ "ram_used", 0 }, { "ram_used_pct", 2 }, { "ram_available", 0 },
	{ "ram_available_pct", 2 }, { "ram_shared", 0 }, { "ram_shared_pct", 2 },
	{ "buffer", 0 }, { "buffer_pct", 2 }, { "cache", 0 }, { "cache_pct", 2 },
	{ "swap_total", 0 }, { "swap_used", 0 }, { "swap_available", 0 },
	{ "swap_used_pct", 2 },
};

#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

static uint64_t kib(const char *text, const char *key)
{
	uint64_t value = 0;

	parse_key(text, key, &value);
	return value;
}

static uint64_t less(uint64_t from, uint64_t what)
{
	return from > what ? from - what : 0;
}

/* A number and its share of the whole. */
static void pair(struct cell *cells, uint64_t part, uint64_t whole)
{
	cells[0] = cell_number(part);
	cells[1] = cell_share(part, whole);
}

static void fill(struct cell *cells, const char *text, uint64_t total)
{
	uint64_t unused = kib(text, "MemFree"), buffers = kib(text, "Buffers");
	uint64_t cache = kib(text, "Cached") + kib(text, "SReclaimable");
	uint64_t swap = kib(text, "SwapTotal"), swap_free = kib(text, "SwapFree");
	uint64_t swap_used = less(swap, swap_free), available;

	cells[0] = cell_number(total);
	pair(cells + 1, unused, total);
	pair(cells + 3, less(less(less(total, unused), buffers), cache), total);
	if (parse_key(text, "MemAvailable", &available))
		pair(cells + 5, available, total);
	pair(cells + 7, kib(text, "Shmem"), total);
	pair(cells + 9, buffers, total);
	pair(cells + 11, cache, total);
	cells[13] = cell_number(swap);
	pair(cells + 15, swap_free, swap);
	cells[14] = cell_number(swap_used);
	cells[16] = cell_share(swap_used, swap);
}

static int sample(struct out *out, struct target *target)
{
	struct cell cells[NCOLUMNS] = { { CELL_EMPTY, 0, NULL } };
	char text[8192];
	uint64_t total;
	ssize_t n = sys_read("/proc/meminfo", text, sizeof(text));

	(void)target;
	if (n < 0 || !parse_key(text, "MemTotal", &total)) {
		warnx("cannot read %s/proc/meminfo: %s", sys_root(),
		      n < 0 ? strerror((int)-n) : "it has no MemTotal");
		return -EINVAL;
	}
	fill(cells, text, total);
	out_row(out, cells);
	return 0;
}

const struct source source_sys = {
	.name = "sys",
	.columns = columns,
	.ncolumns = NCOLUMNS,
	.sample = sample,
};
