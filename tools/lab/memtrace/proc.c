// SPDX-License-Identifier: GPL-2.0
/*
 * "proc": the memory of a process. The columns are those of appendix B of the thesis.
 */
#include <err.h>
#include <errno.h>
#include <string.h>
#include "mapfile.h"
#include "source.h"

static const struct column columns[] = {
	{ "name", 0 }, { "pss", 0 }, { "sum", 0 }, { "rss", 0 }, { "private", 0 },
	{ "shared", 0 }, { "shared_pss", 0 }, { "swap", 0 }, { "swap_pss", 0 },
};

#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

static int sample(struct out *out, struct target *target)
{
	struct cell cells[NCOLUMNS];
	struct smaps smaps;
	int64_t shared_pss;
	int err = mapfile_read(target, &smaps);

	if (err == -ESRCH)
		return SOURCE_ENDED;
	if (err) {
		warnx("cannot read %s of process %d: %s%s", mapfile_name(), target->pid,
		      strerror(-err), err == -EACCES ? "; run it as root" : "");
		return err;
	}
	shared_pss = (int64_t)smaps.pss - (int64_t)smaps.private;
	cells[0] = cell_text(target->name);
	cells[1] = cell_number(smaps.pss);
	cells[2] = cell_signed(shared_pss + (int64_t)smaps.private);
	cells[3] = cell_number(smaps.rss);
	cells[4] = cell_number(smaps.private);
	cells[5] = cell_number(smaps.shared);
	cells[6] = cell_signed(shared_pss);
	cells[7] = cell_number(smaps.swap);
	cells[8] = cell_number(smaps.swap_pss);
	out_row(out, cells);
	return 0;
}

const struct source source_proc = {
	.name = "proc",
	.columns = columns,
	.ncolumns = NCOLUMNS,
	.of_process = true,
	.sample = sample,
};
