// SPDX-License-Identifier: GPL-2.0

#include <stdarg.h>
#include <stdio.h>
#include "writer.h"

/**
 * put() - write more
 * @writer: where to
 * @format: as of printf()
 */
void put(struct writer *writer, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(writer->text + writer->have, writer->size - writer->have, format, args);
	va_end(args);
	if (n > 0)
		writer->have += (size_t)n;
	if (writer->have >= writer->size)
		writer->have = writer->size - 1;
}

/**
 * put_word() - write a name as one word of ASCII
 * @writer: where to
 * @name: the name; a blank, a "=" and what a terminal might obey become "_"
 */
void put_word(struct writer *writer, const char *name)
{
	if (!*name)
		put(writer, "_");
	for (; *name; name++)
		put(writer, "%c", *name > ' ' && *name < 127 && *name != '=' ? *name : '_');
}

/**
 * put_number() - write a line of "key: value"
 * @writer: where to
 * @key: the key
 * @value: the value
 */
void put_number(struct writer *writer, const char *key, uint64_t value)
{
	put(writer, "%s: %llu\n", key, (unsigned long long)value);
}
