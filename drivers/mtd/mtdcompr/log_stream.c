// SPDX-License-Identifier: GPL-2.0
/*
 * An open block and its write buffer.
 *
 * This unit packs records behind each other in memory, and knows which bytes of the block are on
 * the media and which come next. log_jobs.c programs them and tells it. The unit does not look
 * into a record. It takes no lock, sleeps, allocates and prints nothing.
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

/* Bytes that a label takes if it is programmed alone. */
u32 mtdc_stream_label_space(const struct mtdc_stream_geo *geo)
{
	return roundup(geo->label_bytes, geo->write_bytes);
}

/*
 * Bytes of memory that a write buffer takes. After a failure it holds most: a label, a record that
 * is partly on the media of the failed block, less than a unit behind it, one more record, and
 * padding.
 */
size_t mtdc_stream_memory(const struct mtdc_stream_geo *geo)
{
	return (size_t)geo->label_bytes + 2 * geo->record_bytes + 2 * geo->unit_bytes;
}

/* Set up a stream without a block. @stream is zeroed; @memory is in use for as long as it is. */
void mtdc_stream_init(struct mtdc_stream *stream, void *memory,
		      const struct mtdc_stream_geo *geo)
{
	stream->geo = geo;
	stream->data = memory;
	stream->block = MTDC_STREAM_NONE;
}

/* Fill a block, which is erased. @label is NULL if the label is on the media already, alone. */
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

/*
 * Go on with the buffer in another block, which is erased. The record that began at @base follows
 * the label then, unless the label was still in the buffer: then no record moves. All is flushed,
 * as a unit might end in any record, and the stream knows where the last one begins, no other.
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

/*
 * Where the stream goes on if a part can't be programmed: behind all that it has, so that no record
 * begins where another one has begun before. Encryption needs that.
 */
static u32 behind_all(const struct mtdc_stream *stream)
{
	return roundup(stream->cursor, stream->geo->write_bytes);
}

/*
 * Does the buffer fit behind the part of the block that could not be programmed? No, if the
 * label is in that part.
 */
bool mtdc_stream_can_skip(const struct mtdc_stream *stream)
{
	u32 to = behind_all(stream);

	return stream->programmed && to + buffered(stream) <= stream->geo->block_bytes;
}

/*
 * Go on in the same block, behind the part that could not be programmed. The bytes from @base on
 * move to the new @base. All is flushed, as in mtdc_stream_reopen(). Returns the bytes that are
 * wasted.
 */
u32 mtdc_stream_skip(struct mtdc_stream *stream)
{
	u32 to = behind_all(stream);
	u32 wasted = to - stream->base;

	stream->base = to;
	stream->programmed = to;
	stream->last = to;
	stream->cursor += wasted;
	stream->failed = 0;
	stream->flush = true;
	return wasted;
}

/* Let go of the block, which is all on the media. Returns the bytes of it that were not used. */
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

/* Has the block room for a record, as soon as nothing is due? */
bool mtdc_stream_fits(const struct mtdc_stream *stream, u32 bytes)
{
	return stream->block != MTDC_STREAM_NONE &&
		bytes <= stream->geo->block_bytes - stream->cursor;
}

/* Make the bytes at the tail a record; nothing is due. Returns where in the block it begins. */
u32 mtdc_stream_append(struct mtdc_stream *stream, u32 bytes)
{
	stream->last = stream->cursor;
	stream->cursor += bytes;
	return stream->last;
}

/*
 * How many bytes from mtdc_stream_next() on have to be programmed before the next record? All full
 * units; for a flush and a close everything, padded to a write unit. The padding becomes a part of
 * the block when it has been programmed.
 */
u32 mtdc_stream_due(const struct mtdc_stream *stream)
{
	u32 end = stream->cursor - stream->cursor % stream->geo->unit_bytes;

	if (stream->flush || stream->close)
		end = roundup(stream->cursor, stream->geo->write_bytes);
	return end > stream->programmed ? end - stream->programmed : 0;
}

/* Fill the last write unit that is due with ones, the cheapest bytes to program. */
void mtdc_stream_pad(struct mtdc_stream *stream)
{
	u32 end = stream->programmed + mtdc_stream_due(stream);

	if (end > stream->cursor)
		memset(mtdc_stream_tail(stream), 0xff, end - stream->cursor);
}

/*
 * So many bytes are on the media, as mtdc_stream_due() said. Nothing was due before the last record
 * came, so the media end in that one, or between two. Returns the bytes that were padding.
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
/* Do the invariants hold? 0 or -EUCLEAN. */
int mtdc_stream_check(const struct mtdc_stream *stream)
{
	const struct mtdc_stream_geo *geo = stream->geo;

	if (stream->block == MTDC_STREAM_NONE)
		return stream->cursor || stream->programmed || stream->failed ? -EUCLEAN : 0;
	if (stream->programmed % geo->write_bytes || stream->base > stream->programmed ||
	    stream->programmed > stream->cursor || stream->last > stream->cursor ||
	    stream->cursor > geo->block_bytes || buffered(stream) > mtdc_stream_memory(geo))
		return -EUCLEAN;
	return 0;
}
#endif /* MTDC_CHECKS */
