// SPDX-License-Identifier: GPL-2.0

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "monitor_ring.h"

/* Of the word that says how much of a page is used. */
#define USED_MASK 0xfffffu
#define LOST_EVENTS (1u << 31)

/* The kinds of an event: others are its length in four bytes. */
#define KIND_LONG 0u
#define KIND_PADDING 29u
#define KIND_EXTEND 30u
#define KIND_STAMP 31u
#define DELTA_BITS 27
/* A stamp has 59 bits of the time: the others stay. */
#define STAMP_BITS 59

/**
 * ring_field() - find a field in the description of an event
 * @format: the file "format" of the event
 * @name: the field
 *
 * Return: where it is; size 0, if there is none.
 */
struct ring_field ring_field(const char *format, const char *name)
{
	struct ring_field field = { 0, 0 };
	char wanted[64];
	const char *at;

	snprintf(wanted, sizeof(wanted), " %s;", name);
	at = strstr(format, wanted);
	if (!at || sscanf(at + strlen(wanted), " offset:%zu; size:%zu;", &field.offset,
			  &field.size) != 2)
		field.size = 0;
	return field;
}

/**
 * ring_value() - a field's value, without a sign
 * @field: the field
 * @data: of the event
 * @size: of @data in bytes
 * @value: its value
 *
 * Return: false, if there is no such field in it.
 */
bool ring_value(struct ring_field field, const unsigned char *data, size_t size, uint64_t *value)
{
	uint16_t two;
	uint32_t four;

	if (!field.size || field.offset > size || field.size > size - field.offset)
		return false;
	data += field.offset;
	switch (field.size) {
	case 2:
		memcpy(&two, data, 2);
		*value = two;
		return true;
	case 4:
		memcpy(&four, data, 4);
		*value = four;
		return true;
	case 8:
		memcpy(value, data, 8);
		return true;
	}
	return false;
}

static uint32_t word_at(const unsigned char *at)
{
	uint32_t word;

	memcpy(&word, at, 4);
	return word;
}

/* The word before an event: bit fields, whose order is that of the bytes. */
static void split(uint32_t head, uint32_t *kind, uint32_t *delta)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	*kind = head >> DELTA_BITS;
	*delta = head & ((1u << DELTA_BITS) - 1);
#else
	*kind = head & 31;
	*delta = head >> 5;
#endif
}

/* take() - one event; returns its bytes, or 0 at the end of what there is */
static size_t take(const unsigned char *at, size_t left, uint64_t *ns, ring_fn fn, void *arg)
{
	uint32_t kind, delta;
	size_t before = 4, len;

	if (left < 8)
		return 0;
	split(word_at(at), &kind, &delta);
	if (kind == KIND_EXTEND || kind == KIND_STAMP) {
		uint64_t more = (uint64_t)word_at(at + 4) << DELTA_BITS;

		*ns = kind == KIND_EXTEND ? *ns + delta + more :
		      *ns >> STAMP_BITS << STAMP_BITS | (delta + more);
		return 8;
	}
	/* Padding without a time is the rest of the page. */
	if (kind == KIND_PADDING && !delta)
		return 0;
	*ns += delta;
	len = (size_t)kind * 4;
	if (kind == KIND_LONG || kind == KIND_PADDING) {
		len = word_at(at + 4);
		if (len < 4 || len > left - 4)
			return 0;
		if (kind == KIND_PADDING)
			return 4 + ((len + 3) & ~(size_t)3);
		len -= 4;
		before = 8;
	}
	if (len > left - before)
		return 0;
	fn(*ns / 1000, at + before, len, arg);
	return before + ((len + 3) & ~(size_t)3);
}

/**
 * ring_page() - go through the events of a page
 * @page: the page: a time, how much is used, events
 * @size: bytes that are there
 * @word: bytes of the kernel's long
 * @lost: set to true, if events before the page were lost
 * @fn: called for each event
 * @arg: for @fn
 *
 * Return: 0; -EINVAL, if it is no such page.
 */
int ring_page(const unsigned char *page, size_t size, unsigned int word, bool *lost, ring_fn fn,
	      void *arg)
{
	size_t head = 8 + word, used, n;
	uint64_t ns, commit = 0;

	if (size < head || !ring_value((struct ring_field){ 8, word }, page, size, &commit))
		return -EINVAL;
	memcpy(&ns, page, 8);
	used = commit & USED_MASK;
	if (used > size - head)
		return -EINVAL;
	*lost |= !!(commit & LOST_EVENTS);
	page += head;
	while ((n = take(page, used, &ns, fn, arg)) && n <= used) {
		page += n;
		used -= n;
	}
	return 0;
}
