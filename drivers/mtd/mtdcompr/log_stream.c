// SPDX-License-Identifier: GPL-2.0
/*
 * An open block and its write buffer.
 *
 * This unit packs records behind each other in memory, and knows which bytes of the block are
 * on the media and which are to be programmed next. log_jobs.c programs them and says what came
 * of it. The unit does not know what a record is. It takes no lock, sleeps, allocates and
 * prints nothing.
 *
 * A record leaves the buffer when all of it is on the media. So it is read from one place, and
 * if a program fails, the stream goes on in another block without reading the first one.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "log_stream.h"

static u32 buffered(const struct mtdc_stream *stream)
{
	return stream->cursor - stream->base;
}

/**
 * mtdc_stream_label_space() - what a label takes that is programmed alone
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
 * There is most in it after a failure: a label, a record that is partly on the media of the
 * block that failed, less than a unit behind it, one more record, and padding.
 *
 * Context: any.
 * Return: bytes.
 */
size_t mtdc_stream_memory(const struct mtdc_stream_geo *geo)
{
	return (size_t)geo->label_bytes + 2 * geo->record_bytes + 2 * geo->unit_bytes;
}

/**
 * mtdc_stream_init() - set up a stream without a block
 * @stream: the stream, zeroed
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
}

/**
 * mtdc_stream_open() - fill another block
 * @stream: the stream, which has no block
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
	stream->base = stream->programmed;
	stream->cursor = label ? geo->label_bytes : stream->programmed;
	stream->last = stream->cursor;
	if (label)
		memcpy(stream->data, label, geo->label_bytes);
}

/**
 * mtdc_stream_reopen() - go on in another block with what is buffered
 * @stream: the stream
 * @block: the block, erased
 * @label: its label
 *
 * The record that began at @stream->base begins behind the label then, unless the label was
 * still in the buffer: then each record is where it was. All is to be flushed: a unit might end
 * in any of the records, and only of the last one the stream knows where it begins.
 *
 * Context: any; the caller serialises.
 */
void mtdc_stream_reopen(struct mtdc_stream *stream, u32 block, const void *label)
{
	u32 label_bytes = stream->geo->label_bytes;

	if (stream->programmed) {
		memmove(stream->data + label_bytes, stream->data, buffered(stream));
		stream->cursor = label_bytes + buffered(stream);
	}
	memcpy(stream->data, label, label_bytes);
	stream->block = block;
	stream->base = 0;
	stream->programmed = 0;
	stream->last = label_bytes;
	stream->failed = 0;
	stream->flush = true;
	stream->close = false;
}

/**
 * mtdc_stream_can_skip() - is there room behind what could not be programmed?
 * @stream: the stream, of which something is on the media
 *
 * Context: any; the caller serialises.
 * Return: true if all that is buffered fits there.
 */
bool mtdc_stream_can_skip(struct mtdc_stream *stream)
{
	u32 to = stream->programmed + mtdc_stream_due(stream);

	return stream->programmed && to + buffered(stream) <= stream->geo->block_bytes;
}

/**
 * mtdc_stream_skip() - go on in the same block, behind what could not be programmed
 * @stream: the stream, which can
 *
 * What was at @stream->base is at the new one then. All is to be flushed, as by
 * mtdc_stream_reopen().
 *
 * Context: any; the caller serialises.
 * Return: bytes of the block that are wasted.
 */
u32 mtdc_stream_skip(struct mtdc_stream *stream)
{
	u32 to = stream->programmed + mtdc_stream_due(stream);
	u32 wasted = to - stream->base;

	stream->base = to;
	stream->programmed = to;
	stream->last = to;
	stream->cursor += wasted;
	stream->failed = 0;
	stream->flush = true;
	return wasted;
}

/**
 * mtdc_stream_close() - let go of the block, which is all on the media
 * @stream: the stream
 *
 * Context: any; the caller serialises.
 * Return: bytes of the block that were not used.
 */
u32 mtdc_stream_close(struct mtdc_stream *stream)
{
	u32 left = stream->geo->block_bytes - stream->cursor;

	stream->block = MTDC_STREAM_NONE;
	stream->base = 0;
	stream->programmed = 0;
	stream->last = 0;
	stream->cursor = 0;
	stream->close = false;
	return left;
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
 * mtdc_stream_append() - make what stands at the tail a record of the block
 * @stream: the stream; nothing is due, and the record fits
 * @bytes: length of the record
 *
 * Context: any; the caller serialises.
 * Return: where in the block it begins.
 */
u32 mtdc_stream_append(struct mtdc_stream *stream, u32 bytes)
{
	stream->last = stream->cursor;
	stream->cursor += bytes;
	return stream->last;
}

/**
 * mtdc_stream_due() - what has to be programmed before more is appended
 * @stream: the stream
 *
 * These are the units that are full. For a flush and a close it is everything, padded to a
 * write unit; the padding becomes part of the block when it has been programmed.
 *
 * Context: any; the caller serialises.
 * Return: bytes from mtdc_stream_next() on.
 */
u32 mtdc_stream_due(struct mtdc_stream *stream)
{
	u32 end = stream->cursor - stream->cursor % stream->geo->unit_bytes;

	if (stream->flush || stream->close) {
		end = roundup(stream->cursor, stream->geo->write_bytes);
		/* Ones are the cheapest to program. */
		memset(mtdc_stream_tail(stream), 0xff, end - stream->cursor);
	}
	return end > stream->programmed ? end - stream->programmed : 0;
}

/**
 * mtdc_stream_programmed() - this is on the media
 * @stream: the stream
 * @bytes: how much, what mtdc_stream_due() said
 *
 * Nothing was due before the last record came, so the media end in that one, if not between
 * two.
 *
 * Context: any; the caller serialises.
 * Return: bytes of it that were padding.
 */
u32 mtdc_stream_programmed(struct mtdc_stream *stream, u32 bytes)
{
	u32 end = stream->programmed + bytes, padding = end - min(end, stream->cursor);
	u32 base = end < stream->cursor ? stream->last : end;

	stream->cursor += padding;
	memmove(stream->data, stream->data + (base - stream->base), stream->cursor - base);
	stream->programmed = end;
	stream->base = base;
	return padding;
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
		return stream->cursor || stream->programmed || stream->failed ? -EUCLEAN : 0;
	if (stream->programmed % geo->write_bytes || stream->base > stream->programmed ||
	    stream->programmed > stream->cursor || stream->cursor > geo->block_bytes ||
	    buffered(stream) > mtdc_stream_memory(geo))
		return -EUCLEAN;
	return 0;
}
#endif /* MTDC_CHECKS */
