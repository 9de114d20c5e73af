/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An open block and its write buffer.
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
 * struct mtdc_stream - an open block and its write buffer
 * @geo: what its blocks are like
 * @data: the bytes of the block from @base to @cursor
 * @block: the block, or MTDC_STREAM_NONE
 * @base: where the first record begins that is not all on the media
 * @programmed: bytes of the block that are on the media, whole write units
 * @last: where the last record begins
 * @cursor: bytes of the block that are used
 * @failed: the error of the program that failed, until the stream goes on; -ENOMEM if it was
 *	not the block's fault
 * @flush: all is to be programmed, a unit that is not full as well
 * @close: the same, and the block is to be closed
 *
 * The caller serialises all access.
 */
struct mtdc_stream {
	const struct mtdc_stream_geo *geo;
	u8 *data;
	u32 block;
	u32 base;
	u32 programmed;
	u32 last;
	u32 cursor;
	int failed;
	bool flush;
	bool close;
};

size_t mtdc_stream_memory(const struct mtdc_stream_geo *geo);
void mtdc_stream_init(struct mtdc_stream *stream, void *memory,
		      const struct mtdc_stream_geo *geo);
u32 mtdc_stream_label_space(const struct mtdc_stream_geo *geo);
void mtdc_stream_open(struct mtdc_stream *stream, u32 block, const void *label);
void mtdc_stream_reopen(struct mtdc_stream *stream, u32 block, const void *label);
bool mtdc_stream_can_skip(struct mtdc_stream *stream);
u32 mtdc_stream_skip(struct mtdc_stream *stream);
u32 mtdc_stream_close(struct mtdc_stream *stream);
bool mtdc_stream_fits(const struct mtdc_stream *stream, u32 bytes);
u32 mtdc_stream_append(struct mtdc_stream *stream, u32 bytes);
u32 mtdc_stream_due(struct mtdc_stream *stream);
u32 mtdc_stream_programmed(struct mtdc_stream *stream, u32 bytes);
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
	return stream->data + (stream->cursor - stream->base);
}

/**
 * mtdc_stream_next() - what is programmed next
 * @stream: the stream
 *
 * Context: any; the caller serialises.
 * Return: where it stands.
 */
static inline u8 *mtdc_stream_next(const struct mtdc_stream *stream)
{
	return stream->data + (stream->programmed - stream->base);
}

/**
 * mtdc_stream_find() - find a record in the write buffer
 * @stream: the stream
 * @offset: where in the block the record begins
 *
 * Context: any; the caller serialises. The answer is right until the stream is next used.
 * Return: the record, or NULL if all of it is on the media.
 */
static inline const u8 *mtdc_stream_find(const struct mtdc_stream *stream, u32 offset)
{
	return offset < stream->base ? NULL : stream->data + (offset - stream->base);
}

/**
 * mtdc_stream_is_flushed() - is all of the stream on the media?
 * @stream: the stream
 *
 * Context: any; the caller serialises.
 * Return: true if it is.
 */
static inline bool mtdc_stream_is_flushed(const struct mtdc_stream *stream)
{
	return stream->cursor == stream->programmed;
}

#endif /* MTDC_LOG_STREAM_H */
