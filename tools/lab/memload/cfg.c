// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "cfg.h"

/* Is it "KEY = ..." for the width or the height? */
static const char *side_key(const char *line)
{
	static const char *const keys[] = { "width", "height" };
	size_t i;

	for (i = 0; i < 2; i++) {
		size_t len = strlen(keys[i]);

		if (strncmp(line, keys[i], len) == 0 &&
		    line[len + strspn(line + len, " \t")] == '=')
			return keys[i];
	}
	return NULL;
}

/**
 * cfg_set_side() - set the width and the height of the network's input
 * @text: the text
 * @side: both of them
 * @buf: the new text
 * @size: of @buf in bytes
 *
 * Return: 0; -ENOENT, if the text has no width or height; -EOVERFLOW.
 */
int cfg_set_side(const char *text, unsigned int side, char *buf, size_t size)
{
	unsigned int found = 0;
	size_t at = 0;

	while (*text) {
		size_t len = strcspn(text, "\n");
		const char *key = side_key(text);
		int n;

		n = key ? snprintf(buf + at, size - at, "%s=%u\n", key, side) :
			  snprintf(buf + at, size - at, "%.*s\n", (int)len, text);
		if (n < 0 || (size_t)n >= size - at)
			return -EOVERFLOW;
		found += key ? 1 : 0;
		at += (size_t)n;
		text += len + (text[len] == '\n');
	}
	return found == 2 ? 0 : -ENOENT;
}
