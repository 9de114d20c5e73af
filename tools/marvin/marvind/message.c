// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "message.h"

/* The largest number that each reader of JSON has. */
#define MOST (1ULL << 53)

/* word() - the next word, which begins at *@at; returns its length, 0 at the end */
static size_t word(const char **at, const char **begin)
{
	size_t len = strcspn(*at, " ");

	*begin = *at;
	*at += len;
	/* A single blank, which does not end the text. */
	if (**at == ' ' && (*at)[1])
		++*at;
	return len;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* number() - the next word; false: it is none of this base, or too large */
static bool number(const char **at, unsigned int base, uint64_t *n)
{
	const char *begin;
	size_t len = word(at, &begin), i;

	*n = 0;
	for (i = 0; i < len; i++) {
		unsigned int digit = (unsigned int)digit_of(begin[i]);

		if (digit >= base || __builtin_mul_overflow(*n, base, n) ||
		    __builtin_add_overflow(*n, digit, n))
			return false;
	}
	return len;
}

static bool is_word(const char **at, const char *wanted)
{
	const char *begin;
	size_t len = word(at, &begin);

	return len == strlen(wanted) && !memcmp(begin, wanted, len);
}

/* take_name() - it stands in a line of key=value for marvinctl */
static bool take_name(const char **at, char *name)
{
	const char *begin;
	size_t len = word(at, &begin), i;

	if (!len || len >= MESSAGE_NAME)
		return false;
	for (i = 0; i < len; i++)
		name[i] = begin[i] > ' ' && begin[i] < 127 && begin[i] != '=' ? begin[i] : '_';
	name[i] = '\0';
	return true;
}

/**
 * message_heap() - the first packet of a program
 * @text: "marvin 2 NAME SPACE BYTES PAGE"
 * @page_bytes: of this machine
 * @heap: filled in
 *
 * Return: false, if it is something else, or there cannot be such a heap.
 */
bool message_heap(const char *text, size_t page_bytes, struct heap *heap)
{
	uint64_t page, end;

	if (!is_word(&text, "marvin") || !is_word(&text, "2") || !take_name(&text, heap->name) ||
	    !number(&text, 16, &heap->space) || !number(&text, 10, &heap->bytes) ||
	    !number(&text, 10, &page) || *text)
		return false;
	return page == page_bytes && !(heap->space % page) && !(heap->bytes % page) &&
	       heap->bytes && !__builtin_add_overflow(heap->space, heap->bytes, &end) &&
	       end <= SIZE_MAX;
}

/**
 * message_told() - a later packet
 * @text: "stat SEQ OBJECTS BYTES UNSAVED SAVED GIVEN LOADS DROPPED"
 * @heap: of the program
 * @told: filled in
 *
 * Return: false, if it is something else.
 */
bool message_told(const char *text, const struct heap *heap, struct told *told)
{
	uint64_t *const numbers[] = {
		&told->seq, &told->objects, &told->bytes, &told->unsaved, &told->saved,
		&told->given, &told->loads, &told->dropped,
	};
	uint64_t *const sizes[] = { &told->bytes, &told->unsaved, &told->saved, &told->given };
	unsigned int i;

	if (!is_word(&text, "stat"))
		return false;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!number(&text, 10, numbers[i]) || *numbers[i] > MOST)
			return false;
	/* The program counts them one after the other, so they may be a little too large. */
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (*sizes[i] > heap->bytes)
			*sizes[i] = heap->bytes;
	return !*text;
}
