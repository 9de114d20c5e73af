// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "heapkind.h"

/* Of each so many bytes the first third is random. */
#define STRIPE 96

static bool plain_memory;

/**
 * heapkind_open() - which memory it is
 * @plain: without libmarvin
 * @store: of libmarvin; NULL: none
 *
 * Return: 0, or a negative errno, which was said.
 */
int heapkind_open(bool plain, const char *store)
{
	struct marvin_options options = { .store = store };
	int err;

	plain_memory = plain;
	err = plain ? 0 : marvin_open(&options);
	if (err)
		warnx("%s: %s", store ? store : "the heap", strerror(-err));
	return err;
}

/**
 * heapkind_close() - all of it goes
 */
void heapkind_close(void)
{
	if (!plain_memory)
		marvin_close();
}

/* word() - of contents: the same for the same number and place */
static uint64_t word(uint64_t number, size_t at)
{
	uint64_t x = (number + 1) * 0x9e3779b97f4a7c15ULL + at * 0xbf58476d1ce4e5b9ULL;

	if (at % STRIPE >= STRIPE / 3)
		return number;
	x ^= x >> 31;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 29;
}

static void fill(uint8_t *data, size_t bytes, uint64_t number)
{
	size_t at;

	for (at = 0; at + 8 <= bytes; at += 8) {
		uint64_t value = word(number, at);

		memcpy(data + at, &value, 8);
	}
}

static int make_plain(struct piece *piece, size_t bytes)
{
	piece->stub.bytes = bytes;
	piece->stub.data = malloc(bytes);
	return piece->stub.data ? 0 : -ENOMEM;
}

/**
 * piece_make() - take memory, and fill it
 * @piece: filled in
 * @bytes: size
 * @number: of its contents
 *
 * Return: 0, or a negative errno.
 */
int piece_make(struct piece *piece, size_t bytes, uint64_t number)
{
	int err = plain_memory ? make_plain(piece, bytes) : marvin_init(&piece->stub, bytes);
	void *data;

	if (err)
		return err;
	piece->number = number;
	data = piece_write(piece);
	if (data)
		fill(data, bytes, number);
	if (!plain_memory)
		marvin_leave();
	return data ? 0 : -EIO;
}

/**
 * piece_drop() - give it back
 * @piece: of piece_make()
 */
void piece_drop(struct piece *piece)
{
	if (plain_memory)
		free(piece->stub.data);
	else
		marvin_fini(&piece->stub);
}

/**
 * piece_read() - its bytes, to be read
 * @piece: of piece_make()
 *
 * Where it is an object, marvin_leave() has to follow, also after NULL.
 *
 * Return: its first byte; NULL: it is lost.
 */
const void *piece_read(struct piece *piece)
{
	if (plain_memory)
		return piece->stub.data;
	marvin_enter();
	return marvin_read(&piece->stub);
}

/**
 * piece_write() - the same, to be written, too
 * @piece: of piece_make()
 */
void *piece_write(struct piece *piece)
{
	if (plain_memory)
		return piece->stub.data;
	marvin_enter();
	return marvin_write(&piece->stub);
}

/**
 * piece_check() - has it what it was filled with?
 * @piece: of piece_make()
 *
 * Return: 0; -EIO: it is lost; -EBADMSG: it has other bytes.
 */
int piece_check(struct piece *piece)
{
	const uint8_t *data = piece_read(piece);
	int err = data ? 0 : -EIO;
	size_t at;

	for (at = 0; !err && at + 8 <= piece->stub.bytes; at += 8) {
		uint64_t value = word(piece->number, at);

		if (memcmp(data + at, &value, 8))
			err = -EBADMSG;
	}
	if (!plain_memory)
		marvin_leave();
	return err;
}
