// SPDX-License-Identifier: GPL-2.0
/*
 * "pagetype": anonymous and file pages of a process. The columns are those of appendix F of the
 * thesis. They are from /proc/PID/status, where the kernel keeps them anyway; before Linux 4.5,
 * which has only their sum, from smaps.
 */
#include <err.h>
#include <errno.h>
#include <string.h>
#include "mapfile.h"
#include "parse.h"
#include "source.h"
#include "sys.h"

static const struct column columns[] = {
	{ "name", 0 }, { "anon", 0 }, { "total", 0 }, { "file", 0 },
};

#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

struct pages {
	uint64_t anon;
	uint64_t total;
};

static int read_smaps(const struct target *target, struct pages *pages)
{
	struct smaps smaps;
	int err = mapfile_read(target, &smaps);

	pages->anon = smaps.anonymous;
	pages->total = smaps.rss;
	return err;
}

static int read_pages(const struct target *target, struct pages *pages)
{
	char path[64], text[4096];
	ssize_t n;
	int err = target_path(target, "status", path, sizeof(path));

	if (err)
		return err;
	n = sys_read(path, text, sizeof(text));
	if (n < 0)
		return n == -ENOENT ? -ESRCH : (int)n;
	/* Of a process that is ending: its memory is gone. */
	if (!parse_key(text, "VmRSS", &pages->total))
		return -ESRCH;
	if (parse_key(text, "RssAnon", &pages->anon))
		return 0;
	return read_smaps(target, pages);
}

static int sample(struct out *out, struct target *target)
{
	struct cell cells[NCOLUMNS];
	struct pages pages;
	int err = read_pages(target, &pages);

	if (err == -ESRCH)
		return SOURCE_ENDED;
	if (err) {
		warnx("cannot read the pages of process %d: %s%s", target->pid, strerror(-err),
		      err == -EACCES ? "; run it as root" : "");
		return err;
	}
	cells[0] = cell_text(target->name);
	cells[1] = cell_number(pages.anon);
	cells[2] = cell_number(pages.total);
	cells[3] = cell_signed((int64_t)pages.total - (int64_t)pages.anon);
	out_row(out, cells);
	return 0;
}

const struct source source_pagetype = {
	.name = "pagetype",
	.columns = columns,
	.ncolumns = NCOLUMNS,
	.of_process = true,
	.sample = sample,
};
