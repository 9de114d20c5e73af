// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "packed.h"

#define LEAST_TEXT 64U

/**
 * packed_bytes() - how large a buffer is
 * @cells: values
 * @text: bytes of all strings
 *
 * Return: its bytes; 0, if they are too many for this machine.
 */
size_t packed_bytes(size_t cells, size_t text)
{
	size_t most = SIZE_MAX / 4;

	if (cells > most / sizeof(struct packed_cell) || text > most)
		return 0;
	return cells * sizeof(struct packed_cell) + text;
}

static char *texts(const struct packed *packed, const void *buffer)
{
	return (char *)buffer + packed->cells * sizeof(struct packed_cell);
}

static struct packed_cell *cell(const void *buffer, size_t nr)
{
	return (struct packed_cell *)buffer + nr;
}

/**
 * packed_has_room() - is there room for a value's text?
 * @packed: of a buffer
 * @value: for one of its cells
 */
bool packed_has_room(const struct packed *packed, const struct packed_value *value)
{
	return value->tag != PACKED_TEXT || value->size <= packed->text - packed->used;
}

/**
 * packed_wanted() - how much room for text the next buffer should have
 * @packed: of a buffer whose room is used up
 * @more: bytes that will be added
 *
 * Text that is not garbage takes half of the next buffer at most; so buffers of one size follow
 * each other while there is much garbage, and each lasts long.
 *
 * Return: bytes; packed_bytes() refuses them if they are too many.
 */
size_t packed_wanted(const struct packed *packed, size_t more)
{
	size_t need = packed->used - packed->garbage + more;
	size_t text = packed->text ? packed->text : LEAST_TEXT;

	while (text / 2 < need && text <= SIZE_MAX / 4)
		text *= 2;
	return text;
}

/**
 * packed_get() - a value
 * @packed: of the buffer
 * @buffer: the buffer
 * @nr: the cell
 * @value: filled in; a text is in the buffer
 */
void packed_get(const struct packed *packed, const void *buffer, size_t nr,
		struct packed_value *value)
{
	const struct packed_cell *at = cell(buffer, nr);

	value->tag = at->tag;
	value->size = at->size;
	if (at->tag == PACKED_TEXT)
		value->text = texts(packed, buffer) + at->bits;
	else
		value->bits = at->bits;
}

/**
 * packed_put() - replace a value
 * @packed: of the buffer
 * @buffer: the buffer
 * @nr: the cell
 * @value: packed_has_room() for it; its text is not in this buffer
 */
void packed_put(struct packed *packed, void *buffer, size_t nr, const struct packed_value *value)
{
	struct packed_cell *at = cell(buffer, nr);

	if (at->tag == PACKED_TEXT)
		packed->garbage += at->size;
	at->tag = value->tag;
	at->size = value->size;
	if (value->tag != PACKED_TEXT) {
		at->bits = value->bits;
		return;
	}
	at->bits = packed->used;
	if (value->size)
		memcpy(texts(packed, buffer) + packed->used, value->text, value->size);
	packed->used += value->size;
}

/**
 * packed_insert() - make room for a value
 * @buffer: a buffer
 * @nr: the cell that becomes nil; those behind it move on by one
 * @cells: in use; the buffer has at least one more
 */
void packed_insert(void *buffer, size_t nr, size_t cells)
{
	memmove(cell(buffer, nr + 1), cell(buffer, nr), (cells - nr) * sizeof(struct packed_cell));
	memset(cell(buffer, nr), 0, sizeof(struct packed_cell));
}

/**
 * packed_remove() - close the gap that a value leaves
 * @packed: of the buffer
 * @buffer: the buffer
 * @nr: the cell that goes
 * @cells: that are in use; the last one of these becomes nil
 */
void packed_remove(struct packed *packed, void *buffer, size_t nr, size_t cells)
{
	if (cell(buffer, nr)->tag == PACKED_TEXT)
		packed->garbage += cell(buffer, nr)->size;
	memmove(cell(buffer, nr), cell(buffer, nr + 1),
		(cells - nr - 1) * sizeof(struct packed_cell));
	memset(cell(buffer, cells - 1), 0, sizeof(struct packed_cell));
}

/**
 * packed_move() - values to another buffer; garbage stays behind
 * @from: of the buffer
 * @buffer: the buffer, which does not change
 * @to: of the other one: its size is set
 * @to_buffer: the other one, all zeroes, with room enough
 * @cells: how many, from the first one on
 */
void packed_move(const struct packed *from, const void *buffer, struct packed *to, void *to_buffer,
		 size_t cells)
{
	struct packed_value value;
	size_t nr;

	for (nr = 0; nr < cells; nr++) {
		packed_get(from, buffer, nr, &value);
		packed_put(to, to_buffer, nr, &value);
	}
}

/**
 * packed_is() - is it the same value, by the rules of a map's keys?
 * @packed: of the buffer
 * @buffer: the buffer
 * @nr: the cell
 * @value: to compare
 */
bool packed_is(const struct packed *packed, const void *buffer, size_t nr,
	       const struct packed_value *value)
{
	const struct packed_cell *at = cell(buffer, nr);

	if (at->tag != value->tag)
		return false;
	switch (value->tag) {
	case PACKED_TEXT:
		return at->size == value->size &&
		       (!at->size ||
			!memcmp(texts(packed, buffer) + at->bits, value->text, at->size));
	case PACKED_FLOAT:
	case PACKED_INTEGER:
	case PACKED_POINTER:
	case PACKED_REF:
		return at->bits == value->bits;
	default:
		return true;
	}
}
