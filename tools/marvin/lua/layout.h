/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of a record: "f64 x", "i32 id", "bytes[16] name". PURE.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

enum field_type { FIELD_F64, FIELD_I32, FIELD_BYTES };

struct field {
	enum field_type type;
	size_t at;			/* in the record */
	size_t bytes;
	const char *name;		/* in the text that it was read from */
};

bool layout_read(const char *text, struct field *field);
size_t layout_place(struct field *fields, size_t n);

#endif
