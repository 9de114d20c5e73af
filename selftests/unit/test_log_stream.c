// SPDX-License-Identifier: GPL-2.0
/*
 * The block that a stream fills: each byte is at its offset, on the media or in the buffer,
 * whatever is flushed and whichever programs fail.
 */
#include <errno.h>

#include "harness.h"
#include "log_stream.h"

#define BLOCK_BYTES_MAX	4096U
#define LABEL_BYTES	32U

static const struct mtdc_stream_geo geos[] = {
	{ 4096, 512, 512, 264, LABEL_BYTES },
	{ 4096, 512, 128, 264, LABEL_BYTES },
	{ 2048, 256, 4, 132, LABEL_BYTES },
	{ 3000, 100, 20, 500, LABEL_BYTES },
	{ 2000, 1000, 1000, 300, LABEL_BYTES },
};

static struct {
	const struct mtdc_stream_geo *geo;
	struct mtdc_stream stream;
	u8 *memory;
	u8 media[BLOCK_BYTES_MAX];	/* contents of the present block */
	u8 want[BLOCK_BYTES_MAX];
	u32 starts[BLOCK_BYTES_MAX / 4];
	u32 n;				/* records */
	u32 end;			/* end of the last record */
} dev;

static const u8 *label_of(u32 block)
{
	static u8 label[LABEL_BYTES];

	memset(label, block, sizeof(label));
	return label;
}

static void open_block(u32 block, bool labelled)
{
	u32 label = mtdc_stream_label_space(dev.geo);

	memset(dev.media, 0xee, sizeof(dev.media));
	memset(dev.want, 0xff, sizeof(dev.want));
	memcpy(dev.want, label_of(block), LABEL_BYTES);
	dev.n = 0;
	if (labelled)
		memcpy(dev.media, dev.want, label);
	mtdc_stream_open(&dev.stream, block, labelled ? NULL : label_of(block));
	dev.end = dev.stream.cursor;
}

/* A record is in the buffer, or wholly on the media; so is the label. */
static void compare_record(u32 from, u32 end)
{
	const u8 *at = mtdc_stream_find(&dev.stream, from);
	u32 i;

	if (!at) {
		expect(end <= dev.stream.programmed);
		at = dev.media + from;
	}
	for (i = from; i < end && !tap.bad; i++, at++)
		if (!expect_eq(*at, dev.want[i]))
			tap_note("byte %u of %u, %u of them programmed, units of %u", i,
				 dev.stream.cursor, dev.stream.programmed, dev.geo->unit_bytes);
}

static void compare(void)
{
	u32 i;

	for (i = 0; i < dev.n; i++)
		compare_record(dev.starts[i], i + 1 < dev.n ? dev.starts[i + 1] : dev.end);
	for (i = 0; i < dev.stream.programmed && !tap.bad; i++)
		expect_eq(dev.media[i], dev.want[i]);
	expect_eq(mtdc_stream_check(&dev.stream), 0);
}

static void program(u32 bytes)
{
	u32 at = dev.stream.programmed;

	expect(bytes && bytes % dev.geo->write_bytes == 0 && at % dev.geo->write_bytes == 0);
	expect(at + bytes <= dev.geo->block_bytes);
	mtdc_stream_pad(&dev.stream);
	memcpy(dev.media + at, mtdc_stream_next(&dev.stream), bytes);
	mtdc_stream_programmed(&dev.stream, bytes);
	if (mtdc_stream_is_flushed(&dev.stream))
		dev.stream.flush = false;
}

/* The unit can't be programmed: continue in another block with all that is not on the media. */
static void fail(u32 block)
{
	u32 cut = dev.stream.base, shift = dev.stream.programmed ? cut - LABEL_BYTES : 0;
	u32 bytes = dev.stream.cursor - cut, gone = 0, i;
	u8 *before = test_alloc(BLOCK_BYTES_MAX);

	memcpy(before, dev.want + cut, bytes);
	mtdc_stream_reopen(&dev.stream, block, label_of(block));
	expect(dev.stream.flush && !dev.stream.programmed);
	memset(dev.media, 0xee, sizeof(dev.media));
	memset(dev.want, 0xff, sizeof(dev.want));
	memcpy(dev.want + cut - shift, before, bytes);
	memcpy(dev.want, label_of(block), LABEL_BYTES);
	while (gone < dev.n && dev.starts[gone] < cut)
		gone++;
	/* A record that exists twice, or not at all, would be lost. */
	for (i = gone; i < dev.n; i++)
		dev.starts[i - gone] = dev.starts[i] - shift;
	dev.n -= gone;
	dev.end = dev.stream.cursor;
	free(before);
}

/* The unit can't be programmed: continue behind it in the same block. */
static void skip(void)
{
	u32 cut = dev.stream.base, bytes = dev.stream.cursor - cut, from = dev.stream.programmed;
	u32 shift = mtdc_stream_skip(&dev.stream), i;
	u8 *before = test_alloc(BLOCK_BYTES_MAX);

	memcpy(before, dev.want + cut, bytes);
	memcpy(dev.want + cut + shift, before, bytes);
	for (i = from; i < dev.stream.programmed; i++)
		dev.media[i] = random_u64();
	memcpy(dev.want + from, dev.media + from, dev.stream.programmed - from);
	memcpy(dev.want + cut, dev.media + cut, from - cut);
	for (i = 0; i < dev.n; i++)
		if (dev.starts[i] >= cut)
			dev.starts[i] += shift;
	dev.end = dev.stream.cursor;
	expect_eq(dev.end, cut + shift + bytes);
	free(before);
}

static void append(u32 bytes)
{
	u8 *tail = mtdc_stream_tail(&dev.stream);
	u32 i, at;

	for (i = 0; i < bytes; i++)
		tail[i] = random_u64();
	at = dev.stream.cursor;
	memcpy(dev.want + at, tail, bytes);
	expect_eq(mtdc_stream_append(&dev.stream, bytes), at);
	dev.starts[dev.n++] = at;
	dev.end = at + bytes;
}

static void one_step(u32 block)
{
	u32 bytes = 4 * (1 + random_below(dev.geo->record_bytes / 4));
	u32 due = mtdc_stream_due(&dev.stream);

	if (due && !random_below(20) && mtdc_stream_can_skip(&dev.stream))
		skip();
	else if (due && !random_below(20))
		fail(block);
	else if (due)
		program(due);
	else if (mtdc_stream_fits(&dev.stream, bytes) && random_below(20))
		append(bytes);
	else if (!mtdc_stream_is_flushed(&dev.stream))
		dev.stream.flush = true;
	else
		open_block(block, random_below(2));
}

static void test_random(void)
{
	unsigned int g;
	u64 left;

	for (g = 0; g < ARRAY_SIZE(geos); g++) {
		dev.geo = &geos[g];
		memset(&dev.stream, 0, sizeof(dev.stream));
		dev.memory = test_alloc(mtdc_stream_memory(dev.geo));
		mtdc_stream_init(&dev.stream, dev.memory, dev.geo);
		expect(!mtdc_stream_fits(&dev.stream, 4));
		expect_eq(mtdc_stream_check(&dev.stream), 0);
		open_block(1, false);
		for (left = tap.ops / 10; left && !tap.bad; left--) {
			one_step(left & 0xff);
			compare();
		}
		free(dev.memory);
	}
}

static const struct tap_case cases[] = {
	{ "random records, flushes and failures", test_random },
};

int main(int argc, char **argv)
{
	return tap_main("stream", cases, ARRAY_SIZE(cases), argc, argv);
}
