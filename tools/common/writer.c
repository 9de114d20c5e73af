// SPDX-License-Identifier: GPL-2.0
/*
 * The one place that knows how a status looks. Daemons give the format of its lines, which also has
 * the keys and the types of the values in JSON.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "json.h"
#include "writer.h"

/**
 * put_raw() - write a text as it is, such as a table for people
 * @writer: of writer_begin()
 * @format: as of printf()
 */
void put_raw(struct writer *writer, const char *format, ...)
{
	size_t left = writer->size - writer->have;
	va_list args;
	int n;

	if (writer->full)
		return;
	va_start(args, format);
	n = vsnprintf(writer->text + writer->have, left, format, args);
	va_end(args);
	writer->full = n < 0 || (size_t)n >= left;
	if (!writer->full)
		writer->have += (size_t)n;
	writer->text[writer->have] = '\0';
}

/**
 * writer_error() - drop all that was written, because there will be no status
 * @writer: of writer_begin()
 *
 * Return: @writer, for put_error().
 */
struct writer *writer_error(struct writer *writer)
{
	writer->error = true;
	writer->full = false;
	writer->have = 0;
	return writer;
}

static void close_rows(struct writer *writer)
{
	if (writer->rows)
		put_raw(writer, "\n  ]");
	writer->rows = NULL;
}

/* begin_value() - JSON: a comma after another value, a new line outside of rows, and the key */
static void begin_value(struct writer *writer, const char *key)
{
	if (!writer->in_row)
		close_rows(writer);
	put_raw(writer, "%s%s\"%.*s\":",
		writer->have && writer->text[writer->have - 1] == '{' ? "" : ",",
		writer->in_row ? "" : "\n  ", (int)strcspn(key, ":="), key);
}

/* begin_row() - JSON: of "key: ..." */
static void begin_row(struct writer *writer, const char *key)
{
	size_t len = strcspn(key, ":") + 1;

	if (writer->rows && !strncmp(writer->rows, key, len)) {
		put_raw(writer, ",\n    {");
	} else {
		begin_value(writer, key);
		put_raw(writer, "[\n    {");
	}
	writer->rows = key;
	writer->in_row = true;
}

/* put_between() - JSON: the text of a format up to a value: "\nkey: ", "key: a=" or " b=" */
static void put_between(struct writer *writer, const char *at, const char *end)
{
	const char *colon;

	if (at < end && *at == '\n') {
		put_raw(writer, writer->in_row ? "}" : "");
		writer->in_row = false;
		at++;
	}
	if (at == end)
		return;
	colon = memchr(at, ':', (size_t)(end - at));
	if (colon && end[-1] == '=') {
		begin_row(writer, at);
		at = colon + 1;
	}
	begin_value(writer, at + (*at == ' '));
}

/* put_text() - in a word a blank, a "=" and what a terminal might obey become "_" */
static void put_text(struct writer *writer, const char *text, bool word)
{
	const char *quote = writer->json ? "\"" : "";
	char character[JSON_CHARACTER];

	put_raw(writer, "%s%s", quote, word && !*text ? "_" : "");
	while (*text) {
		bool bad = *text <= ' ' || *text >= 127 || *text == '=';

		if (word && bad)
			put_raw(writer, "_");
		else if (!writer->json)
			put_raw(writer, "%c", *text);
		else
			put_raw(writer, "%s", json_next(&text, character));
		text += !writer->json || (word && bad);
	}
	put_raw(writer, "%s", quote);
}

/* put_value() - of the conversion in a format behind a "%"; returns the rest of the format */
static const char *put_value(struct writer *writer, const char *at, va_list *args)
{
	static const char *const names[2][2] = { { "no", "yes" }, { "false", "true" } };
	bool word = at[-2] == '=', truth = *at == 'h', longer = *at == 'l';

	at += strspn(at, "hl");
	if (truth)
		put_raw(writer, "%s", names[writer->json][va_arg(*args, int) != 0]);
	else if (*at == 's')
		put_text(writer, va_arg(*args, const char *), word);
	else if (*at == 'd')
		put_raw(writer, "%lld", longer ? va_arg(*args, long long) : va_arg(*args, int));
	else
		put_raw(writer, "%llu", longer ? va_arg(*args, unsigned long long) :
						 va_arg(*args, unsigned int));
	return at + 1;
}

/**
 * put() - write lines of a status
 * @writer: of writer_begin()
 * @format: lines of "key: VALUE\n" or "key: name=VALUE name=VALUE\n"; a VALUE is %d, %u, %lld or
 *	%llu, a number; %hhu, yes or no; or %s, which may have any bytes in a row, where it becomes
 *	one word of ASCII, else it is one line
 */
void put(struct writer *writer, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	while (*format) {
		const char *value = strchrnul(format, '%');

		if (writer->json)
			put_between(writer, format, value);
		else
			put_raw(writer, "%.*s", (int)(value - format), format);
		format = *value ? put_value(writer, value + 1, &args) : value;
	}
	va_end(args);
}

static void begin_line(struct writer *writer, const char *key)
{
	if (writer->json)
		begin_value(writer, key);
	else
		put_raw(writer, "%s:", key);
}

/**
 * put_number() - write a line "key: value"
 * @writer: of writer_begin()
 * @key: the key
 * @value: the value
 */
void put_number(struct writer *writer, const char *key, uint64_t value)
{
	begin_line(writer, key);
	put_raw(writer, writer->json ? "%llu" : " %llu\n", (unsigned long long)value);
}

/**
 * put_list() - write a line of numbers, in JSON an array
 * @writer: of writer_begin()
 * @key: its key
 * @numbers: the numbers
 * @n: how many
 */
void put_list(struct writer *writer, const char *key, const int *numbers, unsigned int n)
{
	unsigned int i;

	begin_line(writer, key);
	for (i = 0; i < n; i++)
		put_raw(writer, "%s%d", !writer->json ? " " : i ? "," : "[", numbers[i]);
	put_raw(writer, !writer->json ? "\n" : n ? "]" : "[]");
}

/**
 * writer_begin() - begin a status
 * @writer: set up
 * @text: the buffer
 * @size: of @text in bytes, 1 at least
 * @head: what @text begins with, before the status
 * @json: JSON instead of text
 */
void writer_begin(struct writer *writer, char *text, size_t size, const char *head, bool json)
{
	*writer = (struct writer){ .text = text, .size = size, .json = json };
	put_raw(writer, "%s%s", head, json ? "{" : "");
}

/**
 * writer_end() - end a status; text is complete without it
 * @writer: of writer_begin()
 *
 * Return: false, if something did not fit: text is cut then, and JSON cannot be used.
 */
bool writer_end(struct writer *writer)
{
	if (writer->json && !writer->error) {
		close_rows(writer);
		put_raw(writer, "\n}\n");
	}
	return !writer->full;
}
