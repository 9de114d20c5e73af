// SPDX-License-Identifier: GPL-2.0

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "layout.h"

#define MOST_BYTES (1UL << 20)

/* type() - read one. Returns what follows it; NULL, if it is none */
static const char *type(const char *text, struct field *field)
{
	char *end;

	if (!strncmp(text, "f64", 3)) {
		field->type = FIELD_F64;
		field->bytes = sizeof(double);
		return text + 3;
	}
	if (!strncmp(text, "i32", 3)) {
		field->type = FIELD_I32;
		field->bytes = sizeof(int32_t);
		return text + 3;
	}
	if (strncmp(text, "bytes[", 6) || !isdigit((unsigned char)text[6]))
		return NULL;
	field->type = FIELD_BYTES;
	field->bytes = strtoul(text + 6, &end, 10);
	return field->bytes && field->bytes <= MOST_BYTES && *end == ']' ? end + 1 : NULL;
}

/**
 * layout_read() - a field
 * @text: its type and its name, which stays
 * @field: filled in, without its place
 *
 * Return: false, if it is none.
 */
bool layout_read(const char *text, struct field *field)
{
	const char *at = type(text, field);

	if (!at || *at != ' ')
		return false;
	at += strspn(at, " ");
	field->name = at;
	if (!isalpha((unsigned char)*at) && *at != '_')
		return false;
	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	return !*at;
}

/**
 * layout_place() - where the fields are in a record
 * @fields: in the order of the definition; each gets its place
 * @n: how many
 *
 * Numbers are where the processor likes them.
 *
 * Return: bytes of a record.
 */
size_t layout_place(struct field *fields, size_t n)
{
	size_t at = 0, align = 1, own, i;

	for (i = 0; i < n; i++) {
		own = fields[i].type == FIELD_BYTES ? 1 : fields[i].bytes;
		align = own > align ? own : align;
		at = (at + own - 1) / own * own;
		fields[i].at = at;
		at += fields[i].bytes;
	}
	return (at + align - 1) / align * align;
}
