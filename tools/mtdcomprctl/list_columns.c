// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include <strings.h>
#include "list_columns.h"
#include "human.h"

enum kind { KIND_TEXT, KIND_NUMBER, KIND_SIZE, KIND_PAGES, KIND_OTHER };

struct column {
	const char *name;
	const char *help;
	const char *key;		/* key in the statistics */
	/* For KIND_OTHER: fill the cell from other data, or leave it empty. */
	void (*fill)(const struct device *device, bool bytes, struct cell *cell);
	unsigned char kind;		/* an enum kind; a byte, for small static builds */
	bool left;
	bool preset;			/* shown when no columns are asked for */
};

static void fill_name(const struct device *device, bool bytes, struct cell *cell)
{
	char text[DEVICE_FILE];

	(void)bytes;
	cell_text(cell, device_file(device, text));
}

static void fill_ratio(const struct device *device, bool bytes, struct cell *cell)
{
	uint64_t used = figure(device->text, "media_used_bytes");
	char text[HUMAN_TEXT];

	(void)bytes;
	if (!used)
		return;
	cell_text(cell, human_ratio(figure_stored(device->text), used, text));
	cell->number = true;
}

static void fill_use(const struct device *device, bool bytes, struct cell *cell)
{
	uint64_t used = figure(device->text, "media_used_bytes");
	uint64_t all = used + figure(device->text, "media_free_bytes");
	char text[HUMAN_TEXT];

	if (!all)
		return;
	if (bytes)
		cell_number(cell, human_share(100, used, all));
	else
		cell_text(cell, human_percent(used, all, text));
}

static void fill_wear(const struct device *device, bool bytes, struct cell *cell)
{
	char text[HUMAN_TEXT];

	(void)bytes;
	cell_text(cell, human_ratio(figure_wear(device->text), 100, text));
	cell->number = true;
}

static void fill_errors(const struct device *device, bool bytes, struct cell *cell)
{
	(void)bytes;
	cell_number(cell, figure_errors(device->text));
}

static void fill_mount(const struct device *device, bool bytes, struct cell *cell)
{
	(void)bytes;
	if (device->mount[0])
		cell_text(cell, device->mount);
}

static void fill_prio(const struct device *device, bool bytes, struct cell *cell)
{
	(void)bytes;
	if (!device->swapped)
		return;
	snprintf(cell->text, sizeof(cell->text), "%d", device->swap.priority);
	cell->there = true;
	cell->number = true;
}

static void fill_slots(const struct device *device, bool bytes, struct cell *cell)
{
	if (device->swapped)
		cell_size(cell, device->swap.used_kib << 10, bytes);
}

#define KEY(column, what, line, text) .name = column, .kind = what, .key = line, .help = text
#define FILL(column, function, text) \
	.name = column, .kind = KIND_OTHER, .fill = function, .help = text

static const struct column columns[] = {
	{ FILL("NAME", fill_name, "the block device"), .left = true, .preset = true },
	{ KEY("MTD", KIND_NUMBER, "mtd", "the number of its MTD") },
	{ KEY("MTD-NAME", KIND_TEXT, "name", "the name of its MTD"), .left = true },
	{ KEY("MEDIA", KIND_TEXT, "lower_name",
	      "the MTD or the UBI volume below"), .left = true, .preset = true },
	{ KEY("MEDIA-SIZE", KIND_SIZE, "media_bytes", "space for data on the media") },
	{ KEY("STATE", KIND_TEXT, "state",
	      "ok, full, few, worn, failing or gone"), .left = true, .preset = true },
	{ KEY("ALGORITHM", KIND_TEXT, "comp", "the compressor"), .left = true, .preset = true },
	{ KEY("LEVEL", KIND_NUMBER, "level", "its level") },
	{ KEY("STORE", KIND_TEXT, "store", "inplace, or log"), .left = true },
	{ KEY("ALLOC", KIND_TEXT, "alloc", "the allocation policy"), .left = true },
	{ KEY("CRYPT", KIND_TEXT, "crypt",
	      "the cipher of pages on the media, or none"), .left = true },
	{ KEY("WIPE", KIND_NUMBER, "wipe", "1: zeros go over what is freed") },
	{ KEY("DISKSIZE", KIND_SIZE, "size_bytes",
	      "what it promises to hold, before compression") },
	{ KEY("DATA", KIND_PAGES, "pages_stored",
	      "pages that it holds, before compression"), .preset = true },
	{ KEY("COMPR", KIND_SIZE, "compressed_bytes",
	      "the same after compression, without headers") },
	{ KEY("TOTAL", KIND_SIZE, "media_used_bytes",
	      "space on the media that they take"), .preset = true },
	{ KEY("FREE", KIND_SIZE, "media_free_bytes", "space on the media that is free") },
	{ FILL("USE%", fill_use, "the part of the media that is in use") },
	{ FILL("COMP-RATIO", fill_ratio, "DATA / TOTAL"), .preset = true },
	{ KEY("INCOMPR", KIND_PAGES, "pages_raw",
	      "pages that do not compress, part of DATA"), .preset = true },
	{ KEY("ZERO-PAGES", KIND_NUMBER, "pages_filled",
	      "number of pages of one word, which take no media") },
	{ KEY("LOST", KIND_NUMBER, "pages_lost",
	      "number of pages that cannot be read"), .preset = true },
	{ KEY("REFUSED", KIND_NUMBER, "err_full",
	      "number of writes refused as the media were full") },
	{ FILL("ERRORS", fill_errors, "number of errors of the media and in the data") },
	{ FILL("WEAR", fill_wear,
	      "how often the most worn part was rewritten or erased"), .preset = true },
	{ KEY("WRITTEN", KIND_SIZE, "media_written_bytes",
	      "bytes written to the media since the attach") },
	{ KEY("WRITES", KIND_NUMBER, "page_writes", "number of page writes") },
	{ KEY("READS", KIND_NUMBER, "page_reads", "number of page reads") },
	{ KEY("TABLES", KIND_SIZE, "metadata_bytes", "main memory for its tables") },
	{ KEY("BUFFERS", KIND_SIZE, "buffer_bytes", "main memory for all else") },
	{ FILL("SLOTS", fill_slots, "swap slots in use, as in /proc/swaps") },
	{ FILL("PRIO", fill_prio, "priority of the swap") },
	{ FILL("MOUNTPOINT", fill_mount,
	      "[SWAP], or where it is mounted"), .left = true, .preset = true },
};

#define N (sizeof(columns) / sizeof(columns[0]))
/* Fails to compile if COLUMN_MAX is too small. */
enum { COLUMNS_FIT = 1 / (N <= COLUMN_MAX) };

/**
 * columns_default() - the columns shown without -o
 * @list: filled in
 */
void columns_default(struct columns *list)
{
	unsigned int i;

	list->n = 0;
	for (i = 0; i < N; i++)
		if (columns[i].preset)
			list->at[list->n++] = (unsigned char)i;
}

/**
 * columns_all() - all columns
 * @list: filled in
 */
void columns_all(struct columns *list)
{
	for (list->n = 0; list->n < N; list->n++)
		list->at[list->n] = (unsigned char)list->n;
}

static int place_of(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < N; i++)
		if (strlen(columns[i].name) == len && !strncasecmp(columns[i].name, name, len))
			return (int)i;
	return -1;
}

/**
 * columns_parse() - parse the value of -o
 * @list: filled in
 * @text: names separated by commas; a leading "+" appends them to the default columns
 * @bad: the first unknown name; "" if there are too many names
 * @size: of @bad in bytes
 *
 * Return: are all names known and is there room for them?
 */
bool columns_parse(struct columns *list, const char *text, char *bad, size_t size)
{
	bad[0] = '\0';
	list->n = 0;
	if (*text == '+') {
		columns_default(list);
		text++;
	}
	for (;; text++) {
		size_t len = strcspn(text, ",");
		int place = place_of(text, len);

		if (place < 0) {
			snprintf(bad, size, "%.*s", (int)len, text);
			return false;
		}
		if (list->n == COLUMN_MAX)
			return false;
		list->at[list->n++] = (unsigned char)place;
		text += len;
		if (!*text)
			return true;
	}
}

/**
 * columns_head() - the heads of a table
 * @list: which columns
 * @heads: filled in, one per column
 */
void columns_head(const struct columns *list, struct table_head *heads)
{
	unsigned int i;

	for (i = 0; i < list->n; i++) {
		heads[i].name = columns[list->at[i]].name;
		heads[i].left = columns[list->at[i]].left;
	}
}

static void fill(const struct column *column, const struct device *device, bool bytes,
		 struct cell *cell)
{
	uint64_t value;

	if (column->kind == KIND_OTHER) {
		column->fill(device, bytes, cell);
	} else if (column->kind == KIND_TEXT) {
		cell->there = figure_word(device->text, column->key, cell->text,
					  sizeof(cell->text));
	} else if (figure_there(device->text, column->key)) {
		value = figure(device->text, column->key);
		if (column->kind == KIND_PAGES)
			cell_size(cell, value * figure(device->text, "page_bytes"), bytes);
		else if (column->kind == KIND_SIZE)
			cell_size(cell, value, bytes);
		else
			cell_number(cell, value);
	}
}

/**
 * columns_row() - a device as a row of a table
 * @list: which columns
 * @device: the device
 * @bytes: print sizes in bytes
 * @cells: filled in, one per column
 */
void columns_row(const struct columns *list, const struct device *device, bool bytes,
		 struct cell *cells)
{
	unsigned int i;

	for (i = 0; i < list->n; i++) {
		memset(&cells[i], 0, sizeof(cells[i]));
		fill(&columns[list->at[i]], device, bytes, &cells[i]);
	}
}

/**
 * columns_help() - print each column with its description
 * @out: the output stream
 */
void columns_help(FILE *out)
{
	unsigned int i;

	for (i = 0; i < N; i++)
		fprintf(out, " %11s  %s\n", columns[i].name, columns[i].help);
}

/**
 * columns_names() - print the names, one per line
 * @out: the output stream
 */
void columns_names(FILE *out)
{
	unsigned int i;

	for (i = 0; i < N; i++)
		fprintf(out, "%s\n", columns[i].name);
}
