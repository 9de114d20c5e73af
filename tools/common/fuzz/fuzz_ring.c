// SPDX-License-Identifier: GPL-2.0
/*
 * A page of the kernel's trace buffer: the first byte has the kernel's long and where the input is
 * the text that describes an event.
 */
#include <errno.h>
#include "fuzz.h"
#include "monitor_ring.h"

static const u8 *from, *end, *last;

static void event(uint64_t time_us, const unsigned char *data, size_t size, void *arg)
{
	uint64_t value = 0;

	must_be(arg == &last && data > last && data >= from && data <= end);
	must_be(size <= (size_t)(end - data));
	must_be(time_us <= UINT64_MAX / 1000);
	must_be(ring_value((struct ring_field){ 0, 4 }, data, size, &value) == (size >= 4));
	must_be(value <= UINT32_MAX);
	last = data;
}

static void description(const u8 *data, size_t bytes)
{
	char *text = malloc(bytes + 1);
	struct ring_field field;
	uint64_t value;

	if (!text)
		abort();
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	field = ring_field(text, "ip");
	must_be(!field.size || strstr(text, " ip;"));
	ring_value(field, data, bytes, &value);
	free(text);
}

int fuzz_one(const u8 *data, size_t bytes)
{
	unsigned int word;
	bool lost = false;
	u8 *page;
	int err;

	if (!bytes)
		return 0;
	word = data[0] & 1 ? 8 : 4;
	if (data[0] & 2) {
		description(data + 1, bytes - 1);
		return 0;
	}
	page = exact_copy(data + 1, bytes - 1);
	from = page;
	end = page + bytes - 1;
	last = page;
	err = ring_page(page, bytes - 1, word, &lost, event, &last);
	must_be(!err || (err == -EINVAL && last == page));
	free(page);
	return 0;
}
