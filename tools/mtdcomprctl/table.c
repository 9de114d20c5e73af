// SPDX-License-Identifier: GPL-2.0

#include "human.h"
#include "json.h"
#include "table.h"

/**
 * cell_text() - fill a cell with text
 * @cell: filled in
 * @text: the text; truncated to the cell's size
 */
void cell_text(struct cell *cell, const char *text)
{
	snprintf(cell->text, sizeof(cell->text), "%s", text);
	cell->there = true;
	cell->number = false;
}

/**
 * cell_number() - fill a cell with a number without unit
 * @cell: filled in
 * @value: the number
 */
void cell_number(struct cell *cell, uint64_t value)
{
	snprintf(cell->text, sizeof(cell->text), "%llu", (unsigned long long)value);
	cell->there = true;
	cell->number = true;
}

/**
 * cell_size() - fill a cell with a size or bytes per second
 * @cell: filled in
 * @value: bytes
 * @bytes: print bytes, without a unit
 */
void cell_size(struct cell *cell, uint64_t value, bool bytes)
{
	char text[HUMAN_TEXT];

	if (bytes)
		cell_number(cell, value);
	else
		cell_text(cell, human_size(value, text));
}

/**
 * cell_time() - fill a cell with a short time
 * @cell: filled in
 * @ns: nanoseconds
 * @bare: print nanoseconds, without a unit
 */
void cell_time(struct cell *cell, uint64_t ns, bool bare)
{
	char text[HUMAN_TEXT];

	if (bare)
		cell_number(cell, ns);
	else
		cell_text(cell, human_time(ns, text));
}

/**
 * table_json_text() - print a JSON string with its quotes
 * @out: the output stream
 * @text: any bytes; invalid UTF-8 becomes U+FFFD
 */
void table_json_text(FILE *out, const char *text)
{
	char character[JSON_CHARACTER];

	putc('"', out);
	while (*text)
		fputs(json_next(&text, character), out);
	putc('"', out);
}

static void json_key(FILE *out, const char *name)
{
	putc('"', out);
	for (; *name; name++)
		putc(*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name, out);
	fputs("\": ", out);
}

static void json_cell(FILE *out, const struct cell *cell)
{
	if (!cell->there)
		fputs("null", out);
	else if (cell->number)
		fputs(cell->text, out);
	else
		table_json_text(out, cell->text);
}

/**
 * table_json_rows() - print a table as a member of a JSON object
 * @out: the output stream
 * @table: the table
 */
void table_json_rows(FILE *out, const struct table *table)
{
	const struct cell *cell = table->cells;
	unsigned int row, column;

	fprintf(out, "   \"%s\": [", table->name);
	for (row = 0; row < table->rows; row++) {
		fputs(row ? ",{\n" : "\n      {\n", out);
		for (column = 0; column < table->columns; column++, cell++) {
			fputs("         ", out);
			json_key(out, table->heads[column].name);
			json_cell(out, cell);
			fputs(column + 1 < table->columns ? ",\n" : "\n", out);
		}
		fputs("      }", out);
	}
	fputs(table->rows ? "\n   ]" : "]", out);
}

static void print_json(FILE *out, const struct table *table)
{
	fputs("{\n", out);
	table_json_rows(out, table);
	fputs("\n}\n", out);
}

/* raw() - print one word: blanks and unprintable characters as \xNN */
static void raw(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c <= ' ' || c == '\\' || c == 0x7f)
			fprintf(out, "\\x%02x", c);
		else
			putc(c, out);
	}
}

static void print_raw(FILE *out, const struct table *table)
{
	const struct cell *cell = table->cells;
	unsigned int row, column;

	for (column = 0; column < table->columns && !table->noheadings; column++)
		fprintf(out, "%s%s", column ? " " : "", table->heads[column].name);
	if (!table->noheadings)
		putc('\n', out);
	for (row = 0; row < table->rows; row++) {
		for (column = 0; column < table->columns; column++, cell++) {
			if (column)
				putc(' ', out);
			/* Print a word for each column, so that scripts can count them. */
			raw(out, cell->there && cell->text[0] ? cell->text : "-");
		}
		putc('\n', out);
	}
}

/* width() - characters of a text; fewer than its bytes in UTF-8 */
static int width(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static int column_width(const struct table *table, unsigned int column)
{
	int most = table->noheadings ? 0 : width(table->heads[column].name);
	unsigned int row;

	for (row = 0; row < table->rows; row++) {
		int n = width(table->cells[row * table->columns + column].text);

		most = n > most ? n : most;
	}
	return most;
}

/* pad() - print a cell; no blanks after the last one of a line */
static void pad(FILE *out, const struct table *table, unsigned int column, const char *text)
{
	bool left = table->heads[column].left, last = column + 1 == table->columns;
	int blanks = column_width(table, column) - width(text);

	fprintf(out, "%*s%s%*s%s", left ? 0 : blanks, "", text, left && !last ? blanks : 0, "",
		last ? "\n" : " ");
}

static void print_plain(FILE *out, const struct table *table)
{
	const struct cell *cell = table->cells;
	unsigned int row, column;

	for (column = 0; column < table->columns && !table->noheadings; column++)
		pad(out, table, column, table->heads[column].name);
	for (row = 0; row < table->rows; row++)
		for (column = 0; column < table->columns; column++, cell++)
			pad(out, table, column, cell->there ? cell->text : "");
}

/**
 * table_print() - print a table
 * @out: the output stream
 * @table: the table; missing cells have an empty text
 *
 * Without rows only JSON prints anything.
 */
void table_print(FILE *out, const struct table *table)
{
	if (table->form == TABLE_JSON)
		print_json(out, table);
	else if (table->rows && table->form == TABLE_RAW)
		print_raw(out, table);
	else if (table->rows)
		print_plain(out, table);
}
