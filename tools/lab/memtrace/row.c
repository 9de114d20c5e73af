// SPDX-License-Identifier: GPL-2.0

#include "row.h"

/**
 * cell_number() - a cell with a number
 * @number: the number; what is beyond 63 bits is the largest that can be shown
 *
 * Return: the cell.
 */
struct cell cell_number(uint64_t number)
{
	return cell_signed(number > INT64_MAX ? INT64_MAX : (int64_t)number);
}

/**
 * cell_signed() - a cell with a number that may be below zero
 * @number: the number
 *
 * Return: the cell.
 */
struct cell cell_signed(int64_t number)
{
	struct cell cell = { CELL_NUMBER, number, NULL };

	return cell;
}

/**
 * cell_text() - a cell with a text
 * @text: the text, which has to stay until the line is written
 *
 * Return: the cell.
 */
struct cell cell_text(const char *text)
{
	struct cell cell = { CELL_TEXT, 0, text };

	return cell;
}

/**
 * cell_share() - a cell with a percentage, for a column of two decimal places
 * @part: how much
 * @whole: of how much
 *
 * Return: the cell, empty if @whole is zero.
 */
struct cell cell_share(uint64_t part, uint64_t whole)
{
	struct cell empty = { CELL_EMPTY, 0, NULL };

	if (!whole || part > UINT64_MAX / 20000)
		return empty;
	return cell_number((part * 20000 / whole + 1) / 2);
}

/* A number with its decimal places, without any floating point. */
static void add_number(struct text *text, int64_t number, unsigned int scale)
{
	unsigned long long size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	unsigned long long unit = 1;
	unsigned int i;

	for (i = 0; i < scale; i++)
		unit *= 10;
	text_add(text, "%s%llu", number < 0 ? "-" : "", size / unit);
	if (scale)
		text_add(text, ".%0*llu", (int)scale, size % unit);
}

/**
 * row_header() - the first line of CSV
 * @text: it is added to this text
 * @columns: the columns
 * @n: how many
 */
void row_header(struct text *text, const struct column *columns, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		text_add(text, "%s%s", i ? "," : "", columns[i].name);
	text_add(text, "\n");
}

/**
 * row_csv() - a line of CSV
 * @text: it is added to this text
 * @columns: the columns
 * @cells: what is in them
 * @n: how many
 */
void row_csv(struct text *text, const struct column *columns, const struct cell *cells, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (i)
			text_add(text, ",");
		if (cells[i].kind == CELL_NUMBER)
			add_number(text, cells[i].number, columns[i].scale);
		else if (cells[i].kind == CELL_TEXT)
			text_add_csv(text, cells[i].text);
	}
	text_add(text, "\n");
}

/**
 * row_json() - a line of JSON: one object
 * @text: it is added to this text
 * @columns: the columns, whose names are the keys
 * @cells: what is in them
 * @n: how many
 */
void row_json(struct text *text, const struct column *columns, const struct cell *cells, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		text_add(text, "%s\"%s\":", i ? "," : "{", columns[i].name);
		if (cells[i].kind == CELL_NUMBER)
			add_number(text, cells[i].number, columns[i].scale);
		else if (cells[i].kind == CELL_TEXT)
			text_add_json(text, cells[i].text);
		else
			text_add(text, "null");
	}
	text_add(text, "}\n");
}
