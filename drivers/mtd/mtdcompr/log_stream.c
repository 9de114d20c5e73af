// SPDX-License-Identifier: GPL-2.0
/*
 * A block that is being filled, and its write buffer.
 *
 * This unit packs records behind each other in memory, and knows how many of
 * the block's bytes are on the media, which are next to be programmed, and
 * which are in memory only. It does not know what a record is, nor programs
 * anything. It takes no lock, sleeps, allocates and prints nothing.
 *
 * A byte leaves the buffer only when it is known to be on the media: so when a
 * unit can't be programmed, another block can take its place, with all that
 * was in the buffer.
 */
#include <linux/align.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "log_stream.h"

static u32 buffered(const struct mtdc_stream *stream)
{
	return stream->cursor - stream->programmed;
}

/**
 * mtdc_stream_label_space() - what a label takes that stands alone
 * @geo: what the blocks are like
 *
 * Context: any.
 * Return: bytes, whole write units.
 */
u32 mtdc_stream_label_space(const struct mtdc_stream_geo *geo)
{
	return roundup(geo->label_bytes, geo->write_bytes);
}

/**
 * mtdc_stream_memory() - memory that a write buffer takes
 * @geo: what the blocks are like
 *
 * At the most there are less than a unit and a record that could not be
 * programmed, behind a new label and the beginning of a record whose end they
 * are, and padding.
 *
 * Context: any.
 * Return: bytes.
 */
size_t mtdc_stream_memory(const struct mtdc_stream_geo *geo)
{
	return (size_t)geo->label_bytes + 2 * geo->record_bytes +
		2 * geo->unit_bytes;
}

/**
 * mtdc_stream_init() - set up a stream without a block
 * @stream: the stream
 * @memory: mtdc_stream_memory() bytes, in use for as long as @stream is
 * @geo: what its blocks are like, constant for as long
 *
 * Context: any.
 */
void mtdc_stream_init(struct mtdc_stream *stream, void *memory,
		      const struct mtdc_stream_geo *geo)
{
	stream->geo = geo;
	stream->data = memory;
	stream->block = MTDC_STREAM_NONE;
	stream->programmed = 0;
	stream->cursor = 0;
}

/**
 * mtdc_stream_open() - fill another block
 * @stream: the stream; nothing is buffered
 * @block: the block, erased
 * @label: its label, or NULL if that is on the media already, alone
 *
 * Context: any; the caller serialises.
 */
void mtdc_stream_open(struct mtdc_stream *stream, u32 block, const void *label)
{
	const struct mtdc_stream_geo *geo = stream->geo;

	stream->block = block;
	stream->programmed = label ? 0 : mtdc_stream_label_space(geo);
	stream->cursor = label ? geo->label_bytes : stream->programmed;
	if (label)
		memcpy(stream->data, label, geo->label_bytes);
}

/**
 * mtdc_stream_reopen() - go on in another block with what is buffered
 * @stream: the stream; if nothing of its block is on the media, a label is at
 *	the beginning of the buffer, and is replaced
 * @block: the block, erased
 * @label: its label
 * @head: the beginning of the record whose end is at the beginning of the
 *	buffer
 * @head_bytes: its length
 *
 * What was at @stream->programmed - @head_bytes is behind the label then.
 *
 * Context: any; the caller serialises.
 */
void mtdc_stream_reopen(struct mtdc_stream *stream, u32 block,
			const void *label, const void *head, u32 head_bytes)
{
	u32 label_bytes = stream->geo->label_bytes;
	u32 bytes = buffered(stream);

	if (stream->programmed) {
		memmove(stream->data + label_bytes + head_bytes, stream->data,
			bytes);
		memcpy(stream->data + label_bytes, head, head_bytes);
		bytes += label_bytes + head_bytes;
	}
	memcpy(stream->data, label, label_bytes);
	stream->block = block;
	stream->programmed = 0;
	stream->cursor = bytes;
}

/**
 * mtdc_stream_skip() - go on in the same block with what is buffered
 * @stream: the stream, of which something is on the media
 * @bytes: how much is not to be programmed, whole write units
 * @head: the beginning of the record whose end is at the beginning of the
 *	buffer
 * @head_bytes: its length
 *
 * What was at @stream->programmed - @head_bytes is @bytes behind
 * @stream->programmed then. There has to be room for it.
 *
 * Context: any; the caller serialises.
 */
void mtdc_stream_skip(struct mtdc_stream *stream, u32 bytes, const void *head,
		      u32 head_bytes)
{
	memmove(stream->data + head_bytes, stream->data, buffered(stream));
	memcpy(stream->data, head, head_bytes);
	stream->programmed += bytes;
	stream->cursor += bytes + head_bytes;
}

/**
 * mtdc_stream_fits() - is there room for a record in this block?
 * @stream: the stream
 * @bytes: length of the record
 *
 * Context: any; the caller serialises.
 * Return: true if it can be appended as soon as nothing is due.
 */
bool mtdc_stream_fits(const struct mtdc_stream *stream, u32 bytes)
{
	return stream->block != MTDC_STREAM_NONE &&
		bytes <= stream->geo->block_bytes - stream->cursor;
}

/**
 * mtdc_stream_append() - make what stands at the tail a part of the block
 * @stream: the stream; nothing is due, and the record fits
 * @bytes: length of the record
 *
 * Context: any; the caller serialises.
 * Return: where in the block it is.
 */
u32 mtdc_stream_append(struct mtdc_stream *stream, u32 bytes)
{
	u32 offset = stream->cursor;

	stream->cursor += bytes;
	return offset;
}

/**
 * mtdc_stream_pad() - have everything be due
 * @stream: the stream
 *
 * Context: any; the caller serialises.
 * Return: bytes from @stream->programmed on, padding included. That is none of the
 * stream's before it is on the media: what fails is padded anew, wherever it goes.
 */
u32 mtdc_stream_pad(struct mtdc_stream *stream)
{
	u32 bytes = roundup(buffered(stream), stream->geo->write_bytes);

	/* The cheapest thing to program. */
	memset(mtdc_stream_tail(stream), 0xff, bytes - buffered(stream));
	return bytes;
}

/**
 * mtdc_stream_due() - what has to be programmed before more is appended
 * @stream: the stream
 *
 * Whole units, or all there is if that ends with a write unit and a unit is full,
 * or the block.
 *
 * Context: any; the caller serialises.
 * Return: bytes from @stream->programmed on.
 */
u32 mtdc_stream_due(const struct mtdc_stream *stream)
{
	u32 end = stream->cursor - stream->cursor % stream->geo->unit_bytes;

	return end > stream->programmed ? end - stream->programmed : 0;
}

/**
 * mtdc_stream_programmed() - this is on the media
 * @stream: the stream
 * @bytes: how much, from @stream->programmed on, whole write units
 *
 * Context: any; the caller serialises.
 * Return: bytes of it that were padding.
 */
u32 mtdc_stream_programmed(struct mtdc_stream *stream, u32 bytes)
{
	u32 padding = bytes - min(bytes, buffered(stream));

	stream->programmed += bytes;
	stream->cursor += padding;
	memmove(stream->data, stream->data + bytes, buffered(stream));
	return padding;
}

/**
 * mtdc_stream_split() - where a part of the block is
 * @stream: the stream
 * @offset: where in its block, below @stream->cursor
 * @bytes: how much
 * @rest: that of it which is not on the media
 *
 * Context: any; the caller serialises. @rest is right until something is
 * appended or programmed.
 * Return: bytes that are on the media, all before those that are not.
 */
u32 mtdc_stream_split(const struct mtdc_stream *stream, u32 offset, u32 bytes,
		      const u8 **rest)
{
	u32 media = offset < stream->programmed ?
		min(bytes, stream->programmed - offset) : 0;

	*rest = stream->data;
	if (offset > stream->programmed)
		*rest += offset - stream->programmed;
	return media;
}

#ifdef MTDC_CHECKS
/**
 * mtdc_stream_check() - verify the invariants
 * @stream: the stream
 *
 * Context: any; the caller serialises.
 * Return: 0, or -EUCLEAN if one does not hold.
 */
int mtdc_stream_check(const struct mtdc_stream *stream)
{
	const struct mtdc_stream_geo *geo = stream->geo;

	if (stream->block == MTDC_STREAM_NONE)
		return stream->cursor == stream->programmed ? 0 : -EUCLEAN;
	if (stream->programmed % geo->write_bytes ||
	    stream->programmed > stream->cursor ||
	    stream->cursor > geo->block_bytes ||
	    buffered(stream) > mtdc_stream_memory(geo))
		return -EUCLEAN;
	return 0;
}
#endif /* MTDC_CHECKS */
