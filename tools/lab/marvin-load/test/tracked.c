// SPDX-License-Identifier: GPL-2.0
/*
 * Uses and checks of tracked objects.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "contents.h"
#include "heapkind.h"
#include "tracked.h"

#define MARK sizeof(uint64_t)

/* From a few words to more than libmarvin reads at a time. */
static const size_t sizes[] = {
	4076, 4096, 20000, 8192, 2048, 65536, 4097, 100, 24, 40, 520,
	12288, 131072, 4096, 300000, 5000, 16384, 3000, 40000, 200, 1000,
};

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))
/* Of 64 objects one is large, and one is sparse. */
#define LARGE 64
#define LARGE_BYTES 1300000
#define SPARSE_BYTES (2U << 20)
/* Each step of a sparse object begins with SPARSE_HELD bytes of contents; the rest is zero. */
#define SPARSE_STEP (64U << 10)
#define SPARSE_HELD 4100U
/* Unit of size changes, bytes. */
#define STEP 2056
/* Bytes that transfer() has the kernel copy at a time */
#define TRANSFER (64U << 10)

static bool lossy;

static bool is_sparse(uint32_t nr)
{
	return nr % LARGE == LARGE / 2 - 1;
}

static size_t bytes_of(uint32_t nr, uint32_t version)
{
	size_t bytes = sizes[nr % SIZES];

	if (is_sparse(nr))
		return SPARSE_BYTES;
	if (nr % LARGE == LARGE - 1)
		bytes = LARGE_BYTES;
	return bytes < STEP ? bytes + version % 3 * 8 : bytes + version % 5 * STEP;
}

/**
 * tracked_begin() - initialise; call it first
 * @may_be_lost: go on when bytes are lost
 */
void tracked_begin(bool may_be_lost)
{
	lossy = may_be_lost;
}

/**
 * tracked_held() - how much memory an object takes at first; PURE
 * @nr: its number
 *
 * Return: bytes.
 */
size_t tracked_held(uint32_t nr)
{
	return is_sparse(nr) ? SPARSE_BYTES / SPARSE_STEP * 2 * 4096 : bytes_of(nr, 0);
}

/* number() - number of the contents of a part of SPARSE_STEP bytes in a version */
static uint64_t number(const struct tracked *object, uint32_t version, size_t part)
{
	return (uint64_t)part << 56 | (uint64_t)object->nr << 32 | version;
}

/* wrong() - the first wrong byte after the mark; @bytes if all are right */
static size_t wrong(const struct tracked *object, uint32_t version, size_t bytes)
{
	size_t at = 0, n, bad;

	if (!is_sparse(object->nr))
		return MARK + contents_wrong(object->data + MARK, bytes - MARK,
					     number(object, version, 0));
	for (; at < bytes; at += SPARSE_STEP) {
		n = at ? 0 : MARK;
		bad = n + contents_wrong(object->data + at + n, SPARSE_HELD - n,
					 number(object, version, at / SPARSE_STEP));
		if (bad == SPARSE_HELD)
			bad += contents_not_zero(object->data + at + bad, SPARSE_STEP - bad);
		if (bad != SPARSE_STEP)
			return at + bad;
	}
	return bytes;
}

/* tell() - print a wrong byte and the bytes after it */
static void tell(const struct tracked *object, size_t at)
{
	char text[3 * 16 + 1] = "";
	uint32_t version;
	size_t i;

	for (i = 0; i < 16 && at + i < object->bytes; i++)
		snprintf(text + 3 * i, 4, " %02x", object->data[at + i]);
	warnx("object %u of %zu bytes at %p, version %u: wrong bytes at %zu:%s", object->nr,
	      object->bytes, (void *)object->data, object->version, at, text);
	for (version = object->version; version-- && version + 1000 > object->version; )
		if (at >= MARK && wrong(object, version, object->bytes) > at)
			warnx("they are those of version %u", version);
}

/* look() - check the first @bytes bytes */
static enum tracked_result look(const struct tracked *object, size_t bytes)
{
	size_t at = 0;

	if (!memcmp(object->data, &object->mark, MARK))
		at = wrong(object, object->version, bytes);
	if (at == bytes)
		return TRACKED_RIGHT;
	tell(object, at);
	return TRACKED_WRONG;
}

static enum tracked_result check(struct tracked *object, uint32_t arg)
{
	(void)arg;
	return look(object, object->bytes);
}

static void set_mark(struct tracked *object)
{
	object->mark = (object->mark + number(object, object->version, 0)) *
		       0x9e3779b97f4a7c15ULL + 1;
	memcpy(object->data, &object->mark, MARK);
}

/* sign() - write the next version; leaves the zeroes of a sparse object alone */
static void sign(struct tracked *object)
{
	size_t at = SPARSE_STEP;

	object->version++;
	set_mark(object);
	contents_fill(object->data + MARK,
		      (is_sparse(object->nr) ? SPARSE_HELD : object->bytes) - MARK,
		      number(object, object->version, 0));
	for (; is_sparse(object->nr) && at < object->bytes; at += SPARSE_STEP)
		contents_fill(object->data + at, SPARSE_HELD,
			      number(object, object->version, at / SPARSE_STEP));
}

/* failed() - translate the library's error */
static enum tracked_result failed(int err)
{
	switch (err) {
	case 0:
		return TRACKED_RIGHT;
	case -EBADMSG:
		return TRACKED_LOST;
	case -ENOMEM:
		return TRACKED_NO_MEMORY;
	default:
		return TRACKED_UNREADABLE;
	}
}

/*
 * hold() - pin bytes before changing them if they may be lost. Otherwise a SIGBUS could interrupt
 * the change.
 */
static enum tracked_result hold(const struct tracked *object, size_t bytes)
{
	return lossy ? failed(heapkind_pin(object->data, bytes)) : TRACKED_RIGHT;
}

static void release(const struct tracked *object, size_t bytes)
{
	if (lossy)
		heapkind_unpin(object->data, bytes);
}

static enum tracked_result spoil(struct tracked *object, uint32_t at)
{
	object->data[at % object->bytes] ^= 1;
	return TRACKED_RIGHT;
}

static enum tracked_result write_held(struct tracked *object, uint32_t before)
{
	enum tracked_result result = before % 2 ? look(object, object->bytes) : TRACKED_RIGHT;

	if (result == TRACKED_RIGHT)
		sign(object);
	return result;
}

static enum tracked_result write_next(struct tracked *object, uint32_t before)
{
	enum tracked_result result = hold(object, object->bytes);

	if (result != TRACKED_RIGHT)
		return result;
	result = write_held(object, before);
	release(object, object->bytes);
	return result;
}

static enum tracked_result mark(struct tracked *object, uint32_t arg)
{
	enum tracked_result result = hold(object, MARK);

	(void)arg;
	if (result != TRACKED_RIGHT)
		return result;
	set_mark(object);
	release(object, MARK);
	return TRACKED_RIGHT;
}

/* not_zero() - check that a new object is all zeroes, also in reused memory */
static enum tracked_result not_zero(struct tracked *object)
{
	size_t at = contents_not_zero(object->data, object->bytes);

	if (at == object->bytes)
		return TRACKED_RIGHT;
	warnx("object %u of %zu bytes at %p is new: a byte at %zu is not zero", object->nr,
	      object->bytes, (void *)object->data, at);
	return TRACKED_WRONG;
}

static enum tracked_result remake(struct tracked *object, uint32_t arg)
{
	enum tracked_result result;

	(void)arg;
	object->whole = false;
	heapkind_free(object->data);
	object->bytes = bytes_of(object->nr, object->version);
	object->data = NULL;
	object->data = heapkind_new(object->bytes);
	if (!object->data)
		return TRACKED_NO_MEMORY;
	result = not_zero(object);
	if (result == TRACKED_RIGHT)
		result = write_next(object, 0);
	object->whole = result == TRACKED_RIGHT;
	return result;
}

/* resize() - resize and check that the common bytes stay */
static enum tracked_result resize(struct tracked *object, uint32_t arg)
{
	size_t bytes = bytes_of(object->nr, arg), before = object->bytes;
	enum tracked_result result = hold(object, object->bytes);
	uint8_t *data;

	if (result != TRACKED_RIGHT)
		return result;
	release(object, object->bytes);
	data = heapkind_resize(object->data, bytes);
	if (!data)
		return TRACKED_NO_MEMORY;
	object->data = data;
	object->bytes = bytes;
	object->whole = false;
	result = look(object, before < bytes ? before : bytes);
	if (result == TRACKED_RIGHT)
		result = write_next(object, 0);
	object->whole = result == TRACKED_RIGHT;
	return result;
}

static enum tracked_result pin(struct tracked *object, uint32_t us)
{
	int err = heapkind_pin(object->data, object->bytes);
	enum tracked_result result;

	if (err)
		return failed(err);
	usleep(us);
	result = us % 2 ? write_held(object, 1) : look(object, object->bytes);
	heapkind_unpin(object->data, object->bytes);
	return result;
}

/* there_and_back() - send the bytes through a pipe that has room for them */
static enum tracked_result there_and_back(struct tracked *object, const int *ends)
{
	size_t at = 0, n;

	for (; at < object->bytes; at += n) {
		n = object->bytes - at < TRANSFER ? object->bytes - at : TRANSFER;
		if (write(ends[1], object->data + at, n) != (ssize_t)n)
			err(STATUS_FAILED, "write of an object's bytes");
		memset(object->data + at, 0x55, n);
		if (read(ends[0], object->data + at, n) != (ssize_t)n)
			err(STATUS_FAILED, "read to an object's bytes");
	}
	return look(object, object->bytes);
}

static enum tracked_result transfer(struct tracked *object, uint32_t arg)
{
	int error = heapkind_pin(object->data, object->bytes), ends[2];
	enum tracked_result result;

	(void)arg;
	if (error)
		return failed(error);
	if (pipe2(ends, O_CLOEXEC) || fcntl(ends[1], F_SETPIPE_SZ, TRANSFER) < (int)TRANSFER)
		err(STATUS_FAILED, "pipe");
	result = there_and_back(object, ends);
	close(ends[0]);
	close(ends[1]);
	heapkind_unpin(object->data, object->bytes);
	return result;
}

static enum tracked_result hint(struct tracked *object, uint32_t soon)
{
	struct marvin *heap = heapkind_heap();
	int err;

	if (!heap)
		return TRACKED_RIGHT;
	err = soon % 2 ? marvin_prefetch(heap, object->data, object->bytes) :
			 marvin_cold(heap, object->data, object->bytes);
	return lossy ? failed(err) : err ? TRACKED_LOST : TRACKED_RIGHT;
}

/* why() - find the reason of a SIGBUS */
static enum tracked_result why(const struct tracked *object)
{
	int err;

	if (!object->whole)
		return TRACKED_LOST;
	err = heapkind_pin(object->data, object->bytes);
	if (err)
		return failed(err);
	heapkind_unpin(object->data, object->bytes);
	return TRACKED_UNREADABLE;
}

/**
 * tracked_use() - do something with an object
 * @object: from tracked_make(), locked
 * @use: the use
 * @arg: see enum tracked_use
 *
 * Return: TRACKED_RIGHT, or the error.
 */
enum tracked_result tracked_use(struct tracked *object, enum tracked_use use, uint32_t arg)
{
	static enum tracked_result (*const uses[])(struct tracked *, uint32_t) = {
		[TRACKED_CHECK] = check, [TRACKED_WRITE] = write_next, [TRACKED_MARK] = mark,
		[TRACKED_REMAKE] = remake, [TRACKED_RESIZE] = resize, [TRACKED_PIN] = pin,
		[TRACKED_TRANSFER] = transfer, [TRACKED_HINT] = hint, [TRACKED_SPOIL] = spoil,
	};
	enum tracked_result result;
	sigjmp_buf here;

	if (!object->whole && use != TRACKED_REMAKE)
		return TRACKED_LOST;
	if (lossy) {
		if (sigsetjmp(here, 1))
			return why(object);
		sigbus_to(&here);
	}
	result = uses[use](object, arg);
	sigbus_to(NULL);
	return result;
}

/**
 * tracked_make() - make the first version of an object
 * @object: filled in
 * @nr: its number
 *
 * Return: TRACKED_RIGHT, or the error.
 */
enum tracked_result tracked_make(struct tracked *object, uint32_t nr)
{
	memset(object, 0, sizeof(*object));
	if (pthread_rwlock_init(&object->lock, NULL))
		return TRACKED_NO_MEMORY;
	object->nr = nr;
	return tracked_use(object, TRACKED_REMAKE, 0);
}

/**
 * tracked_drop() - free an object
 * @object: from tracked_make(), unused by any thread
 */
void tracked_drop(struct tracked *object)
{
	heapkind_free(object->data);
	pthread_rwlock_destroy(&object->lock);
}
