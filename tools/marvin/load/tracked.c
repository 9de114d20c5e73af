// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "contents.h"
#include "tracked.h"

#define MARK sizeof(uint64_t)

/* What is one page, some, less than one, and more than libmarvin writes at a time. */
static const size_t sizes[] = {
	4076, 4096, 20000, 8192, 2048, 65536, 4097, 100,
	12288, 131072, 4096, 300000, 5000, 16384, 3000, 40000,
};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))
/* One of so many, */
#define LARGE 64
#define LARGE_BYTES 1300000
/* and by so much they change when they are made anew. */
#define STEP 2056

/**
 * tracked_bytes() - how large an object is; PURE
 * @nr: its number
 * @version: how often it was written when it was made
 *
 * Return: bytes, at least 100.
 */
size_t tracked_bytes(uint32_t nr, uint32_t version)
{
	size_t bytes = nr % LARGE == LARGE - 1 ? LARGE_BYTES : sizes[nr % SIZES];

	return bytes < STEP ? bytes : bytes + version % 5 * STEP;
}

static uint64_t number(const struct tracked *object)
{
	return (uint64_t)object->nr << 32 | object->version;
}

/* failed() - what the library says when it has no bytes */
static enum tracked_result failed(int err)
{
	switch (err) {
	case EBADMSG:
		return TRACKED_LOST;
	case ESTALE:
		return TRACKED_FOREIGN;
	case ENOMEM:
		return TRACKED_NO_MEMORY;
	default:
		return TRACKED_UNREADABLE;
	}
}

/* tell() - what is wrong, and what it looks like */
static void tell(const struct tracked *object, const uint8_t *data, size_t at)
{
	size_t bytes = object->piece.stub.bytes, i;
	char text[3 * 16 + 1] = "";

	for (i = 0; i < 16 && at + i < bytes; i++)
		snprintf(text + 3 * i, 4, " %02x", data[at + i]);
	warnx("object %u of %zu bytes, version %u: wrong bytes at %zu:%s", object->nr, bytes,
	      object->version, at, text);
	for (i = object->version; i-- && i + 1000 > object->version; )
		if (at >= MARK && contents_wrong(data + MARK, bytes - MARK,
						 (uint64_t)object->nr << 32 | i) > at - MARK)
			warnx("they are those of version %zu", i);
}

/* look() - at all of its bytes */
static enum tracked_result look(const struct tracked *object, const uint8_t *data)
{
	size_t bytes = object->piece.stub.bytes, at;

	if (memcmp(data, &object->mark, MARK)) {
		tell(object, data, 0);
		return TRACKED_WRONG;
	}
	at = MARK + contents_wrong(data + MARK, bytes - MARK, number(object));
	if (at == bytes)
		return TRACKED_RIGHT;
	tell(object, data, at);
	return TRACKED_WRONG;
}

static void set_mark(struct tracked *object, uint8_t *data)
{
	object->mark = (object->mark + number(object)) * 0x9e3779b97f4a7c15ULL + 1;
	memcpy(data, &object->mark, MARK);
}

/* sign() - the next version */
static void sign(struct tracked *object, uint8_t *data)
{
	object->version++;
	set_mark(object, data);
	contents_fill(data + MARK, object->piece.stub.bytes - MARK, number(object));
}

static enum tracked_result make(struct tracked *object)
{
	size_t bytes = tracked_bytes(object->nr, object->version);
	enum tracked_result result;
	uint8_t *data;

	if (piece_make(&object->piece, bytes, 0))
		return TRACKED_NO_MEMORY;
	data = piece_write(&object->piece);
	result = data ? TRACKED_RIGHT : failed(errno);
	if (data)
		sign(object, data);
	piece_leave();
	return result;
}

/**
 * tracked_make() - the first version of an object
 * @object: filled in
 * @nr: its number
 *
 * Return: TRACKED_RIGHT, or what went wrong.
 */
enum tracked_result tracked_make(struct tracked *object, uint32_t nr)
{
	memset(object, 0, sizeof(*object));
	if (pthread_rwlock_init(&object->lock, NULL))
		return TRACKED_NO_MEMORY;
	object->nr = nr;
	return make(object);
}

/**
 * tracked_check() - look at all of its bytes
 * @object: of tracked_make(), locked to be read
 *
 * Return: TRACKED_RIGHT, or what is not.
 */
enum tracked_result tracked_check(struct tracked *object)
{
	const uint8_t *data = piece_read(&object->piece);
	enum tracked_result result = data ? look(object, data) : failed(errno);

	piece_leave();
	return result;
}

/**
 * tracked_write() - the next version
 * @object: of tracked_make(), locked to be written
 * @before: first look at the bytes that it has
 *
 * Return: TRACKED_RIGHT, or what went wrong.
 */
enum tracked_result tracked_write(struct tracked *object, bool before)
{
	uint8_t *data = piece_write(&object->piece);
	enum tracked_result result = data ? TRACKED_RIGHT : failed(errno);

	if (data && before)
		result = look(object, data);
	if (result == TRACKED_RIGHT)
		sign(object, data);
	piece_leave();
	return result;
}

/**
 * tracked_mark() - change its first bytes, and look at no others
 * @object: of tracked_make(), locked to be written
 *
 * Return: TRACKED_RIGHT, or what went wrong.
 */
enum tracked_result tracked_mark(struct tracked *object)
{
	uint8_t *data = piece_write(&object->piece);
	enum tracked_result result = data ? TRACKED_RIGHT : failed(errno);

	if (data)
		set_mark(object, data);
	piece_leave();
	return result;
}

/**
 * tracked_remake() - free it, and make it anew, of another size
 * @object: of tracked_make(), locked to be written
 *
 * Return: TRACKED_RIGHT, or what went wrong.
 */
enum tracked_result tracked_remake(struct tracked *object)
{
	piece_drop(&object->piece);
	return make(object);
}

/**
 * tracked_pin() - use it for a while
 * @object: of tracked_make(), locked to be written
 * @us: how long, in microseconds
 * @write: make the next version at the end
 *
 * Return: TRACKED_RIGHT, or what went wrong.
 */
enum tracked_result tracked_pin(struct tracked *object, uint32_t us, bool write)
{
	uint8_t *data = piece_pin(&object->piece, write);
	enum tracked_result result;

	if (!data)
		return failed(errno);
	usleep(us);
	result = look(object, data);
	if (write && result == TRACKED_RIGHT)
		sign(object, data);
	piece_unpin(&object->piece);
	return result;
}

/**
 * tracked_spoil() - change a byte, to see that it is found
 * @object: of tracked_make(), locked to be written
 * @at: which byte
 *
 * Return: TRACKED_RIGHT, or what went wrong.
 */
enum tracked_result tracked_spoil(struct tracked *object, size_t at)
{
	uint8_t *data = piece_write(&object->piece);
	enum tracked_result result = data ? TRACKED_RIGHT : failed(errno);

	if (data)
		data[at % object->piece.stub.bytes] ^= 1;
	piece_leave();
	return result;
}
