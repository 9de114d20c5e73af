// SPDX-License-Identifier: GPL-2.0
/*
 * marvind's parser of the packets that programs send. Nothing behind their end is read; what is
 * accepted is a heap that can be, and numbers that are in its bounds; and a right packet that is
 * written from what was read reads the same.
 */
#include <inttypes.h>
#include "fuzz.h"
#include "message.h"

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
	snprintf(copy, sizeof(copy), "marvin 2 %s %" PRIx64 " %" PRIu64 " %d", heap.name,
		 heap.space, heap.bytes, PAGE);
	must_be(message_heap(copy, PAGE, &again));
	must_be(!strcmp(heap.name, again.name) && heap.space == again.space &&
		heap.bytes == again.bytes);
}

static void check_told(const char *text, uint64_t bytes)
{
	struct heap heap = { "x", PAGE, bytes };
	struct told told, again;
	char copy[MESSAGE_BYTES];

	if (!message_told(text, &heap, &told))
		return;
	must_be(told.bytes <= bytes && told.unsaved <= bytes && told.saved <= bytes &&
		told.given <= bytes);
	snprintf(copy, sizeof(copy),
		 "stat %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		 " %" PRIu64 " %" PRIu64, told.seq, told.objects, told.bytes, told.unsaved,
		 told.saved, told.given, told.loads, told.dropped);
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
