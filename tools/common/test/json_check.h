/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a text one JSON value (RFC 8259) and a newline? Strings are not checked for UTF-8.
 */
#ifndef JSON_CHECK_H
#define JSON_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline const char *json_blanks(const char *at)
{
	return at + strspn(at, " \n");
}

/* json_string() - returns the end of a string, or NULL if it is wrong; so do the next functions */
static inline const char *json_string(const char *at)
{
	if (*at++ != '"')
		return NULL;
	for (; *at != '"'; at++) {
		if ((unsigned char)*at < 0x20)
			return NULL;
		if (*at != '\\')
			continue;
		at++;
		if (*at == 'u' && strspn(at + 1, "0123456789abcdef") >= 4)
			at += 4;
		else if (!*at || !strchr("\"\\", *at))
			return NULL;
	}
	return at + 1;
}

static inline const char *json_number(const char *at)
{
	size_t n;

	at += *at == '-';
	n = strspn(at, "0123456789");
	return n && (n == 1 || *at != '0') ? at + n : NULL;
}

static inline const char *json_value(const char *at);

/* json_items() - the items of an array, or of an object, if @keys */
static inline const char *json_items(const char *at, char end, bool keys)
{
	at = json_blanks(at + 1);
	if (*at == end)
		return at + 1;
	for (;;) {
		if (keys) {
			at = json_string(at);
			if (!at || *at++ != ':')
				return NULL;
		}
		at = json_value(at);
		if (!at)
			return NULL;
		at = json_blanks(at);
		if (*at == end)
			return at + 1;
		if (*at != ',')
			return NULL;
		at = json_blanks(at + 1);
	}
}

static inline const char *json_value(const char *at)
{
	if (*at == '{')
		return json_items(at, '}', true);
	if (*at == '[')
		return json_items(at, ']', false);
	if (*at == '"')
		return json_string(at);
	if (!strncmp(at, "true", 4))
		return at + 4;
	if (!strncmp(at, "false", 5))
		return at + 5;
	return json_number(at);
}

static inline bool json_is_right(const char *text)
{
	const char *end = json_value(text);

	return end && !strcmp(end, "\n");
}

#endif
