// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "csv.h"

/**
 * csv_quote() - a field of CSV; in quotes, if it has characters that need them
 * @name: what is in it
 * @buf: the field
 * @size: of @buf in bytes
 *
 * Return: 0; -EOVERFLOW, if it does not fit.
 */
int csv_quote(const char *name, char *buf, size_t size)
{
	size_t at = 0;

	if (!strpbrk(name, ",\"\n\r"))
		return (size_t)snprintf(buf, size, "%s", name) < size ? 0 : -EOVERFLOW;
	if (2 * strlen(name) + 3 > size)
		return -EOVERFLOW;
	buf[at++] = '"';
	for (; *name; name++) {
		if (*name == '"')
			buf[at++] = '"';
		buf[at++] = *name;
	}
	buf[at++] = '"';
	buf[at] = '\0';
	return 0;
}
