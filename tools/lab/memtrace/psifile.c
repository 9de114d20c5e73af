// SPDX-License-Identifier: GPL-2.0
/*
 * "psi": pressure stall information. The columns are those of appendix E of the thesis.
 */
#include <err.h>
#include <errno.h>
#include <string.h>
#include "parse.h"
#include "source.h"
#include "sys.h"

static const struct column columns[] = {
	{ "mem_some_avg10", 2 }, { "mem_full_avg10", 2 }, { "mem_some_avg60", 2 },
	{ "mem_full_avg60", 2 }, { "mem_some_avg300", 2 }, { "mem_full_avg300", 2 },
	{ "mem_some_total", 0 }, { "mem_full_total", 0 },
	{ "cpu_some_avg10", 2 }, { "cpu_some_avg60", 2 }, { "cpu_some_avg300", 2 },
	{ "cpu_some_total", 0 },
	{ "io_some_avg10", 2 }, { "io_full_avg10", 2 }, { "io_some_avg60", 2 },
	{ "io_full_avg60", 2 }, { "io_some_avg300", 2 }, { "io_full_avg300", 2 },
	{ "io_some_total", 0 }, { "io_full_total", 0 },
};

#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

/* Every @step-th cell from the first has a figure of the line. */
static void fill_line(struct cell *cells, const struct psi_line *line, unsigned int step)
{
	cells[0] = cell_number(line->avg10);
	cells[step] = cell_number(line->avg60);
	cells[2 * step] = cell_number(line->avg300);
	cells[3 * step] = cell_number(line->total);
}

/* A file with "some" and "full" side by side, or with "some" alone. */
static int fill(struct cell *cells, const char *path, bool full)
{
	char text[512];
	struct psi psi;
	ssize_t n = sys_read(path, text, sizeof(text));

	if (n < 0)
		return (int)n;
	if (parse_psi(text, &psi))
		return -EINVAL;
	fill_line(cells, &psi.some, full ? 2 : 1);
	if (full && strstr(text, "\nfull "))
		fill_line(cells + 1, &psi.full, 2);
	return 0;
}

static int sample(struct out *out, struct target *target)
{
	struct cell cells[NCOLUMNS] = { { CELL_EMPTY, 0, NULL } };
	int memory = fill(cells, "/proc/pressure/memory", true);
	int cpu = fill(cells + 8, "/proc/pressure/cpu", false);
	int io = fill(cells + 12, "/proc/pressure/io", true);

	(void)target;
	if (memory && cpu && io) {
		warnx("no pressure information in %s/proc/pressure: %s%s", sys_root(),
		      strerror(-memory), memory == -EINVAL ? "" :
		      "; the kernel needs CONFIG_PSI and perhaps \"psi=1\" on its command line");
		return memory;
	}
	out_row(out, cells);
	return 0;
}

const struct source source_psi = {
	.name = "psi",
	.columns = columns,
	.ncolumns = NCOLUMNS,
	.sample = sample,
};
