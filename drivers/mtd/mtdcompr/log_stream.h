/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A block that is being filled, and its write buffer.
 */
#ifndef MTDC_LOG_STREAM_H
#define MTDC_LOG_STREAM_H

#include <linux/limits.h>
#include <linux/types.h>

/* No block. */
#define MTDC_STREAM_NONE	U32_MAX

/**
 * struct mtdc_stream_geo - what the blocks of a stream are like
 * @block_bytes: size of a block, a multiple of @unit_bytes
 * @unit_bytes: what is programmed at a time, a multiple of @write_bytes
 * @write_bytes: the least that can be programmed
 * @record_bytes: the longest record
 * @label_bytes: length of a label
 */
struct mtdc_stream_geo {
	u32 block_bytes;
	u32 unit_bytes;
	u32 write_bytes;
	u32 record_bytes;
	u32 label_bytes;
};

/**
 * struct mtdc_stream - a block that is being filled
 * @geo: what it is like
 * @data: its bytes from @programmed to @cursor
 * @block: the block, or MTDC_STREAM_NONE
 * @programmed: bytes of it that are on the media; whole write units
 * @cursor: bytes of it that are used
 *
 * The caller serialises all access.
 */
struct mtdc_stream {
	const struct mtdc_stream_geo *geo;
	u8 *data;
	u32 block;
	u32 programmed;
	u32 cursor;
};

size_t mtdc_stream_memory(const struct mtdc_stream_geo *geo);
void mtdc_stream_init(struct mtdc_stream *stream, void *memory,
		      const struct mtdc_stream_geo *geo);
u32 mtdc_stream_label_space(const struct mtdc_stream_geo *geo);
void mtdc_stream_open(struct mtdc_stream *stream, u32 block,
		      const void *label);
void mtdc_stream_reopen(struct mtdc_stream *stream, u32 block,
			const void *label, const void *head, u32 head_bytes);
void mtdc_stream_skip(struct mtdc_stream *stream, u32 bytes, const void *head,
		      u32 head_bytes);
bool mtdc_stream_fits(const struct mtdc_stream *stream, u32 bytes);
u32 mtdc_stream_append(struct mtdc_stream *stream, u32 bytes);
u32 mtdc_stream_pad(struct mtdc_stream *stream);
u32 mtdc_stream_due(const struct mtdc_stream *stream);
u32 mtdc_stream_programmed(struct mtdc_stream *stream, u32 bytes);
u32 mtdc_stream_split(const struct mtdc_stream *stream, u32 offset, u32 bytes,
		      const u8 **rest);
int mtdc_stream_check(const struct mtdc_stream *stream);

/**
 * mtdc_stream_tail() - where the next record has to stand to be appended
 * @stream: the stream, into which it fits
 *
 * Context: any; the caller serialises.
 * Return: where.
 */
static inline u8 *mtdc_stream_tail(const struct mtdc_stream *stream)
{
	return stream->data + (stream->cursor - stream->programmed);
}

#endif /* MTDC_LOG_STREAM_H */
