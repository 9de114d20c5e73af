// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <string.h>
#include "out.h"

static int put(struct out *out, const struct text *text)
{
	if (text->cut) {
		warnx("a line is too long and was left out");
		return -EOVERFLOW;
	}
	return fputs(text->buf, out->file) < 0 ? -EIO : 0;
}

/**
 * out_open() - begin to write
 * @out: what is written to
 * @path: the file; NULL is standard output
 * @json: a JSON object for each line, instead of CSV
 * @columns: those of the command, without number and time
 * @n: how many
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int out_open(struct out *out, const char *path, bool json, const struct column *columns,
	     size_t n)
{
	static const struct column common[] = { { "n", 0 }, { "time", 6 } };
	char buf[1024];
	struct text text;

	memset(out, 0, sizeof(*out));
	out->json = json;
	memcpy(out->columns, common, sizeof(common));
	memcpy(out->columns + 2, columns, n * sizeof(*columns));
	out->ncolumns = n + 2;
	out->name = path ? path : "standard output";
	out->file = path ? fopen(path, "we") : stdout;
	if (!out->file) {
		int error = errno;

		warn("cannot write to %s", path);
		return -error;
	}
	if (json)
		return 0;
	text_init(&text, buf, sizeof(buf));
	row_header(&text, out->columns, out->ncolumns);
	return put(out, &text) || out_flush(out) ? -EIO : 0;
}

/**
 * out_sample() - the lines from now on are of the next sample
 * @out: what is written to
 * @time_us: when it was taken
 */
void out_sample(struct out *out, uint64_t time_us)
{
	out->sample++;
	out->time_us = time_us;
}

/**
 * out_row() - write a line
 * @out: what is written to
 * @cells: of the command's columns. An error shows at out_flush().
 */
void out_row(struct out *out, const struct cell *cells)
{
	struct cell all[ROW_COLUMNS];
	char buf[2048];
	struct text text;

	all[0] = cell_number(out->sample);
	all[1] = cell_number(out->time_us);
	memcpy(all + 2, cells, (out->ncolumns - 2) * sizeof(*cells));
	text_init(&text, buf, sizeof(buf));
	if (out->json)
		row_json(&text, out->columns, all, out->ncolumns);
	else
		row_csv(&text, out->columns, all, out->ncolumns);
	put(out, &text);
}

/**
 * out_flush() - all lines so far go to the file
 * @out: what is written to
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int out_flush(struct out *out)
{
	if (fflush(out->file) || ferror(out->file)) {
		warn("cannot write to %s", out->name);
		return -EIO;
	}
	return 0;
}

/**
 * out_close() - end it
 * @out: what is written to
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int out_close(struct out *out)
{
	int err = 0;

	if (fclose(out->file)) {
		warn("cannot write to %s", out->name);
		err = -EIO;
	}
	out->file = NULL;
	return err;
}
