// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "contents.h"
#include "heapkind.h"

static bool plain_memory;

/**
 * heapkind_open() - which memory it is
 * @plain: without libmarvin
 * @store: of libmarvin; NULL: none
 * @tick_ms: from tick to tick, always; 0: as libmarvin does
 *
 * Return: 0, or a negative errno, which was said.
 */
int heapkind_open(bool plain, const char *store, uint32_t tick_ms)
{
	struct marvin_options options = { .store = store, .foreground_ms = tick_ms,
					  .background_ms = tick_ms };
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
		contents_fill(data, bytes, number);
	piece_leave();
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
 * piece_leave() has to follow, also after NULL.
 *
 * Return: its first byte; NULL: it is lost, with errno.
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
 * piece_leave() - the end of piece_read() and piece_write(): its bytes may go
 */
void piece_leave(void)
{
	if (!plain_memory)
		marvin_leave();
}

/**
 * piece_pin() - its bytes, for longer than to the end of a loop
 * @piece: of piece_make()
 * @write: are they to be written?
 *
 * Return: its first byte; NULL: it is lost, with errno. Else piece_unpin() has to follow.
 */
void *piece_pin(struct piece *piece, bool write)
{
	return plain_memory ? piece->stub.data : marvin_pin(&piece->stub, write);
}

/**
 * piece_unpin() - the end of piece_pin()
 * @piece: of piece_make()
 */
void piece_unpin(struct piece *piece)
{
	if (!plain_memory)
		marvin_unpin(&piece->stub);
}

/**
 * piece_check() - has it what it was filled with?
 * @piece: of piece_make()
 *
 * Return: 0; -EIO: it is lost; -EBADMSG: it has other bytes.
 */
int piece_check(struct piece *piece)
{
	const void *data = piece_read(piece);
	int err = data ? 0 : -EIO;

	if (data && contents_wrong(data, piece->stub.bytes, piece->number) != piece->stub.bytes)
		err = -EBADMSG;
	piece_leave();
	return err;
}
