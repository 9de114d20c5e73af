/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A text that grows in a buffer of fixed size. PURE. What does not fit is left out, and said.
 */
#ifndef MEMTRACE_TEXT_H
#define MEMTRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A text and the buffer that it is in. */
struct text {
	char *buf;
	size_t size;
	size_t len;
	bool cut;			/* something did not fit */
};

void text_init(struct text *text, char *buf, size_t size);
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_csv(struct text *text, const char *string);
void text_add_json(struct text *text, const char *string);

#endif
