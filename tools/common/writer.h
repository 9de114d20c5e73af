/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A status in a buffer, as lines of "key: value" or as an object of JSON. PURE.
 *
 * A line "key: a=1 b=2" is a row. In JSON the rows of a key, which have to follow each other, are
 * an array of objects.
 */
#ifndef COMMON_WRITER_H
#define COMMON_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct writer {
	char *text;			/* ends with a zero byte */
	size_t size;			/* of @text in bytes, 1 at least */
	size_t have;			/* written, without the zero byte */
	bool json;
	bool full;			/* a piece did not fit; all behind it is left out */
	bool error;			/* @text is of put_error() */
	bool in_row;			/* JSON: the object of a row is open */
	const char *rows;		/* JSON: begins with the key of the open array; or NULL */
};

void writer_begin(struct writer *writer, char *text, size_t size, const char *head, bool json);
bool writer_end(struct writer *writer);
struct writer *writer_error(struct writer *writer);
void put(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void put_number(struct writer *writer, const char *key, uint64_t value);
void put_list(struct writer *writer, const char *key, const int *numbers, unsigned int n);
void put_raw(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* put_error() - a line in place of a status; the reason is a literal, a format of printf() */
#define put_error(writer, reason, ...) \
	put_raw(writer_error(writer), "error " reason "\n", ##__VA_ARGS__)

#endif
