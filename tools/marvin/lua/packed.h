/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values in a flat buffer: a row of cells, and behind it the text of strings. The buffer is the
 * payload of a list or a map; struct packed, which describes it, is elsewhere. PURE: no Lua
 * here.
 *
 * A buffer that is all zeroes has cells of the value nil, and no text.
 */
#ifndef PACKED_H
#define PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum packed_tag {
	PACKED_NIL,
	PACKED_FALSE,
	PACKED_TRUE,
	PACKED_INTEGER,
	PACKED_FLOAT,
	PACKED_POINTER,			/* a light userdata */
	PACKED_TEXT,
	PACKED_REF,			/* what only Lua can keep: its number and its identity */
	PACKED_DEAD,			/* of a map: a key that was removed */
};

/* A text may not be longer. */
#define PACKED_LONGEST UINT32_MAX

/* A value outside of a buffer. */
struct packed_value {
	enum packed_tag tag;
	uint32_t size;			/* of the text; or the number of the reference */
	union {
		uint64_t bits;
		double number;		/* PACKED_FLOAT */
		const char *text;	/* PACKED_TEXT: the caller's, or in the buffer */
	};
};

struct packed_cell {
	uint32_t tag;
	uint32_t size;
	uint64_t bits;			/* of a text: where it begins */
};

/* Describes a buffer. */
struct packed {
	size_t cells;			/* that it has */
	size_t text;			/* bytes behind them */
	size_t used;			/* of these */
	size_t garbage;			/* of the used ones: of strings that are there no more */
};

size_t packed_bytes(size_t cells, size_t text);
bool packed_has_room(const struct packed *packed, const struct packed_value *value);
size_t packed_wanted(const struct packed *packed, size_t more);
void packed_get(const struct packed *packed, const void *buffer, size_t nr,
		struct packed_value *value);
void packed_put(struct packed *packed, void *buffer, size_t nr, const struct packed_value *value);
void packed_insert(void *buffer, size_t nr, size_t cells);
void packed_remove(struct packed *packed, void *buffer, size_t nr, size_t cells);
void packed_move(const struct packed *from, const void *buffer, struct packed *to, void *to_buffer,
		 size_t cells);
bool packed_is(const struct packed *packed, const void *buffer, size_t nr,
	       const struct packed_value *value);

#endif
