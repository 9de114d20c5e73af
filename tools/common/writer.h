/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A text that is written piece by piece into a buffer; what does not fit is left out. PURE.
 */
#ifndef POLICY_WRITER_H
#define POLICY_WRITER_H

#include <stddef.h>
#include <stdint.h>

struct writer {
	char *text;			/* ends with a zero byte */
	size_t size;			/* of @text in bytes, 1 at least */
	size_t have;			/* written, without the zero byte */
};

void put(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void put_word(struct writer *writer, const char *name);
void put_number(struct writer *writer, const char *key, uint64_t value);

#endif
