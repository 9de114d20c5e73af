// SPDX-License-Identifier: GPL-2.0

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "text.h"

/**
 * text_init() - begin an empty text
 * @text: the text
 * @buf: where it is kept
 * @size: of @buf in bytes, at least one
 */
void text_init(struct text *text, char *buf, size_t size)
{
	text->buf = buf;
	text->size = size;
	text->len = 0;
	text->cut = false;
	buf[0] = '\0';
}

/**
 * text_add() - add to a text, all of it or nothing
 * @text: the text
 * @format: as that of printf()
 */
void text_add(struct text *text, const char *format, ...)
{
	size_t room = text->size - text->len;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->buf + text->len, room, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= room) {
		text->buf[text->len] = '\0';
		text->cut = true;
		return;
	}
	text->len += (size_t)n;
}

/**
 * text_add_csv() - add a string as a field of CSV
 * @text: the text
 * @string: any bytes; it is put in quotes where a reader would take it for more than a field
 */
void text_add_csv(struct text *text, const char *string)
{
	if (!strpbrk(string, ",\"\r\n")) {
		text_add(text, "%s", string);
		return;
	}
	text_add(text, "\"");
	for (; *string; string++)
		text_add(text, *string == '"' ? "\"\"" : "%c", *string);
	text_add(text, "\"");
}

/* utf8() - bytes of the character of UTF-8 that begins there, 0 if none does */
static size_t utf8(const unsigned char *at)
{
	size_t len, i;

	if (at[0] >= 0xc2 && at[0] <= 0xdf)
		len = 2;
	else if (at[0] >= 0xe0 && at[0] <= 0xef)
		len = 3;
	else if (at[0] >= 0xf0 && at[0] <= 0xf4)
		len = 4;
	else
		return 0;
	for (i = 1; i < len; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	/* Longer than needed, halves of UTF-16 pairs, beyond the last character. */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return len;
}

/**
 * text_add_json() - add a string as one of JSON, with its quotes
 * @text: the text
 * @string: any bytes; those that are no UTF-8 are taken for Latin-1
 */
void text_add_json(struct text *text, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;
	size_t len;

	text_add(text, "\"");
	for (; *at; at += len ? len : 1) {
		len = utf8(at);
		if (*at == '"' || *at == '\\')
			text_add(text, "\\%c", *at);
		else if (*at >= 0x20 && *at < 0x7f)
			text_add(text, "%c", *at);
		else if (len)
			text_add(text, "%.*s", (int)len, (const char *)at);
		else
			text_add(text, "\\u%04x", *at);
	}
	text_add(text, "\"");
}
