// SPDX-License-Identifier: GPL-2.0
/*
 * The compressors, with the kernel's own libraries. The payload is the input itself, or a
 * compressed page that is damaged then. Decompression must give at most a page or an error, and
 * access nothing outside its buffers. An undamaged page must come back, also after such an attempt.
 * In the driver a checksum protects the payload; this target skips it.
 */
#include "fuzz.h"
#include "comp.h"
#include "kernel.h"

#include <linux/errno.h>
#include <linux/mm.h>

static const struct {
	const char *name;
	int level;
} choices[] = {
	{ "lz4", 1 }, { "lzo", 0 }, { "zlib", 1 }, { "zstd", 1 }, { "zlib", 9 },
	{ "zstd", 3 }, { "lz4", 64 }, { "zstd", 19 },
};

/* Created once, as in the driver, because creation takes longer than all the rest. */
static struct mtdc_comp comps[ARRAY_SIZE(choices)];

static struct mtdc_comp *comp_of(unsigned int i)
{
	const struct mtdc_comp_ops *ops;

	if (!comps[i].ops) {
		must_be(!mtdc_comp_find(choices[i].name, &ops));
		must_be(!mtdc_comp_create(&comps[i], ops, choices[i].level, PAGE_SIZE));
	}
	return &comps[i];
}

/* Return: the decompressed length, or an error. */
static int decompress(struct mtdc_comp *comp, const void *payload, u32 bytes, u8 *page)
{
	u8 *copy = exact_copy(payload, bytes);
	int len = comp->ops->decompress(comp->ctx, copy, bytes, page, PAGE_SIZE);

	must_be(len <= (int)PAGE_SIZE);
	must_be(len >= 0 || len == -EBADMSG);
	free(copy);
	return len;
}

static int compress(struct mtdc_comp *comp, const u8 *page, u8 **payload)
{
	/* The size of the store's buffer. */
	u32 room = mtdc_comp_bound(comp, PAGE_SIZE);
	u32 most = PAGE_SIZE - 20;
	int len;

	*payload = malloc(room);
	must_be(*payload);
	len = comp->ops->compress(comp->ctx, page, PAGE_SIZE, *payload, most);
	must_be(len == -E2BIG || (len > 0 && len <= (int)most));
	return len;
}

/* A page of bytes of the input, in turns with data that compress well. */
static void make_page(struct input *in, u8 *page)
{
	u32 at = 0, n, back, i;

	while (at < PAGE_SIZE) {
		n = min_t(u32, 1 + take_below(in, 300), PAGE_SIZE - at);
		back = 1 + take_below(in, 64);
		for (i = 0; i < n; i++)
			page[at + i] = in->left && i < 16 ? take(in) :
				at + i >= back ? page[at + i - back] : 0;
		at += n;
	}
}

static void round_trip(struct mtdc_comp *comp, const u8 *page, const u8 *payload, int len)
{
	u8 *back = malloc(PAGE_SIZE);

	must_be(back);
	must_be(decompress(comp, payload, len, back) == (int)PAGE_SIZE);
	must_be(!memcmp(back, page, PAGE_SIZE));
	free(back);
}

static void damaged(struct input *in, struct mtdc_comp *comp)
{
	u8 *page = malloc(PAGE_SIZE), *payload, *copy, *out = malloc(PAGE_SIZE);
	/* Take the damages first, so that a longer page does not change them. */
	u32 edits = take_below(in, 16), i;
	struct input script = *in;
	int len;

	must_be(page && out);
	for (i = 0; i < 4 * edits; i++)
		take(in);
	make_page(in, page);
	len = compress(comp, page, &payload);
	if (len > 0) {
		round_trip(comp, page, payload, len);
		copy = exact_copy(payload, len);
		for (i = 0; i < edits; i++) {
			copy[take_bytes(&script, 2) % len] = take(&script);
			decompress(comp, copy, len - take(&script) % len, out);
		}
		free(copy);
		round_trip(comp, page, payload, len);
	}
	free(payload);
	free(page);
	free(out);
}

int fuzz_one(const u8 *data, size_t bytes)
{
	static const u8 text[] = "a page that is all right after one that was not ";
	struct input in = { data, bytes };
	u8 how = take(&in), *page, *payload;
	struct mtdc_comp *comp = comp_of(how / 2 % ARRAY_SIZE(choices));
	u32 i;
	int len;

	if (how & 1) {
		damaged(&in, comp);
		return 0;
	}
	page = malloc(PAGE_SIZE);
	must_be(page);
	decompress(comp, in.at, in.left, page);
	for (i = 0; i < PAGE_SIZE; i++)
		page[i] = text[i % sizeof(text)];
	len = compress(comp, page, &payload);
	must_be(len > 0);
	round_trip(comp, page, payload, len);
	free(payload);
	free(page);
	return 0;
}
