// SPDX-License-Identifier: GPL-2.0

#include <stdio.h>
#include <string.h>
#include "human.h"
#include "top_columns.h"

static const char *const names[RATE_COLUMNS] = {
	"NAME", "STATE", "DATA", "USE%", "COMP-RATIO", "WRITES/S", "READS/S", "MEDIA-W/S",
	"MEDIA-R/S", "WRITE", "READ", "REFUSED",
};

/**
 * rate_of() - the rate of a counter
 * @before: the earlier statistics, or NULL
 * @now: the later statistics
 * @key: the counter's key
 * @us: time between them, in microseconds
 * @rate: per second
 *
 * Return: false without earlier statistics, or if another device has taken the name since.
 */
bool rate_of(const char *before, const char *now, const char *key, uint64_t us, uint64_t *rate)
{
	uint64_t from, to;

	if (!before || !us || !parse_key(before, key, &from) || !parse_key(now, key, &to) ||
	    to < from)
		return false;
	*rate = human_share(1000000, to - from, us);
	return true;
}

/**
 * rate_heads() - fill in the heads of the table
 * @heads: filled in, RATE_COLUMNS of them
 */
void rate_heads(struct table_head *heads)
{
	unsigned int i;

	for (i = 0; i < RATE_COLUMNS; i++)
		heads[i] = (struct table_head) { names[i], i < 2 };
}

/* state_cells() - the columns without rates */
static void state_cells(const struct device *now, bool bytes, struct cell *cells)
{
	uint64_t used = figure(now->text, "media_used_bytes");
	char text[64];

	cell_text(&cells[0], device_file(now, text));
	cells[1].there = figure_word(now->text, "state", cells[1].text, sizeof(cells[1].text));
	cell_size(&cells[2], figure_stored(now->text), bytes);
	cell_text(&cells[3], human_percent(used, used + figure(now->text, "media_free_bytes"),
					   text));
	if (used) {
		cell_text(&cells[4], human_ratio(figure_stored(now->text), used, text));
		cells[4].number = true;
	}
	cell_time(&cells[9], figure(now->text, "write_avg_ns"), bytes);
	cell_time(&cells[10], figure(now->text, "read_avg_ns"), bytes);
	cell_number(&cells[11], figure(now->text, "err_full"));
}

/**
 * rate_row() - fill in a device's row of the table
 * @before: the earlier state, or NULL
 * @now: the later state
 * @us: time between them, in microseconds
 * @bytes: print sizes in bytes, times in nanoseconds
 * @cells: filled in, RATE_COLUMNS of them
 */
void rate_row(const struct device *before, const struct device *now, uint64_t us, bool bytes,
	      struct cell *cells)
{
	const char *from = before ? before->text : NULL;
	uint64_t rate;

	memset(cells, 0, RATE_COLUMNS * sizeof(*cells));
	state_cells(now, bytes, cells);
	if (rate_of(from, now->text, "page_writes", us, &rate))
		cell_number(&cells[5], rate);
	if (rate_of(from, now->text, "page_reads", us, &rate))
		cell_number(&cells[6], rate);
	if (rate_of(from, now->text, "media_written_bytes", us, &rate))
		cell_size(&cells[7], rate, bytes);
	if (rate_of(from, now->text, "media_read_bytes", us, &rate))
		cell_size(&cells[8], rate, bytes);
}
