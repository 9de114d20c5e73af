// SPDX-License-Identifier: GPL-2.0
/*
 * marvind's parser of the packets that programs send. It does not read behind a packet's end, and
 * accepts only possible heaps and numbers within their bounds. A packet written from its result
 * gives the same result again.
 */
#include "fuzz.h"
#include "messages.h"

#define PAGE 4096

static void check_name(const char *name)
{
	size_t i, len = strnlen(name, MESSAGE_NAME);

	must_be(len && len < MESSAGE_NAME);
	for (i = 0; i < len; i++)
		must_be(name[i] > ' ' && name[i] < 127 && name[i] != '=');
}

static void check_heap(const char *text)
{
	struct heap heap, again;
	char copy[MESSAGE_BYTES];

	if (!message_heap(text, PAGE, &heap))
		return;
	check_name(heap.name);
	must_be(heap.bytes && heap.bytes % PAGE == 0 && heap.space % PAGE == 0);
	must_be(heap.space + heap.bytes > heap.space && heap.space + heap.bytes <= SIZE_MAX);
	snprintf(copy, sizeof(copy), "marvin 2 %s %llx %llu %d", heap.name,
		 (unsigned long long)heap.space, (unsigned long long)heap.bytes, PAGE);
	must_be(message_heap(copy, PAGE, &again));
	must_be(!strcmp(heap.name, again.name) && heap.space == again.space &&
		heap.bytes == again.bytes);
}

static void check_told(const char *text, uint64_t bytes)
{
	struct heap heap = { "x", PAGE, bytes };
	struct told told, again;
	char copy[MESSAGE_BYTES] = "stat";
	const uint64_t *number;

	if (!message_told(text, &heap, &told))
		return;
	must_be(told.bytes <= bytes && told.unsaved <= bytes && told.saved <= bytes &&
		told.given <= bytes);
	for (number = &told.seq; number <= &told.dropped; number++)
		snprintf(copy + strlen(copy), sizeof(copy) - strlen(copy), " %llu",
			 (unsigned long long)*number);
	must_be(message_told(copy, &heap, &again));
	must_be(!memcmp(&told, &again, sizeof(told)));
}

int fuzz_one(const u8 *data, size_t bytes)
{
	char *text = malloc(bytes + 1);

	if (!text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	check_heap(text);
	check_told(text, 1 << 20);
	check_told(text, UINT64_MAX);
	free(text);
	return 0;
}
