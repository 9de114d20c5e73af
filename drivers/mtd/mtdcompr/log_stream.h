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
 * struct mtdc_stream_geo - the geometry of a stream's blocks
 * @block_bytes: size of a block, a multiple of @unit_bytes
 * @unit_bytes: size of a program, a multiple of @write_bytes
 * @write_bytes: size of the smallest program
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
 * @geo: the geometry of its blocks
 * @data: the bytes of the block from @base to @cursor
 * @block: the block, or MTDC_STREAM_NONE
 * @base: where the first record begins that is not all on the media, or the label
 * @programmed: bytes of the block that are on the media, whole write units
 * @last: where the last record begins
 * @cursor: bytes of the block that are used
 * @failed: the error of the program that failed, until the stream goes on; -ENOMEM if it was
 *	not the block's fault
 * @flush: program all, a unit that is not full as well
 * @close: the same, and close the block
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
bool mtdc_stream_can_skip(const struct mtdc_stream *stream);
u32 mtdc_stream_skip(struct mtdc_stream *stream);
u32 mtdc_stream_close(struct mtdc_stream *stream);
bool mtdc_stream_fits(const struct mtdc_stream *stream, u32 bytes);
u32 mtdc_stream_append(struct mtdc_stream *stream, u32 bytes);
u32 mtdc_stream_due(const struct mtdc_stream *stream);
void mtdc_stream_pad(struct mtdc_stream *stream);
u32 mtdc_stream_programmed(struct mtdc_stream *stream, u32 bytes);
int mtdc_stream_check(const struct mtdc_stream *stream);

/* Where the next record has to stand to be appended. */
static inline u8 *mtdc_stream_tail(const struct mtdc_stream *stream)
{
	return stream->data + (stream->cursor - stream->base);
}

/* Where the bytes stand that are programmed next. */
static inline u8 *mtdc_stream_next(const struct mtdc_stream *stream)
{
	return stream->data + (stream->programmed - stream->base);
}

/*
 * The record that begins at @offset of the block, or NULL if all of it is on the media. The answer
 * is right until the stream is next used.
 */
static inline const u8 *mtdc_stream_find(const struct mtdc_stream *stream, u32 offset)
{
	return offset < stream->base ? NULL : stream->data + (offset - stream->base);
}

/* Is all of the stream on the media? */
static inline bool mtdc_stream_is_flushed(const struct mtdc_stream *stream)
{
	return stream->cursor == stream->programmed;
}

#endif /* MTDC_LOG_STREAM_H */
