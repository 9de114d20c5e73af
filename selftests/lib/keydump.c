// SPDX-License-Identifier: GPL-2.0
/*
 * Looks for the driver's keys in a file with the memory of a machine that has stopped:
 *
 * keydump MEMORY PAGE MEDIA BLOCK LABEL GRANULE NONCES
 *	All records of MEDIA are the page in the file PAGE, not compressed, but encrypted. Each
 *	block of BLOCK bytes begins with LABEL other bytes; records begin at a multiple of GRANULE.
 *	The program tries each 32 bytes of MEMORY at a multiple of 4 as the key of the first record
 *	of each block. The nonce is the record's offset in its block; if NONCES is not 0, the nonce
 *	is one of 1 .. NONCES. Prints `records N keys N places N`: first the blocks with a record,
 *	then the blocks whose key is in memory, then how often these keys are there.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "keystream.h"

#define STREAM		64	/* bytes of the first block of key stream */
#define BLOCKS_MAX	4096

static struct record {
	uint8_t stream[STREAM];		/* what the right key makes */
	uint64_t nonce;
	unsigned long places;
} records[BLOCKS_MAX];
static unsigned int count;

static const uint8_t *mapped(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *at;

	if (fd < 0 || fstat(fd, &st))
		err(2, "%s", path);
	*bytes = st.st_size;
	at = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		err(2, "%s", path);
	close(fd);
	return at;
}

/* Add the first record of a block, if there is one. */
static void add_record(const uint8_t *block, size_t bytes, size_t label, size_t granule,
		       const uint8_t *page)
{
	struct record *record = &records[count];
	size_t at = label, i;

	while (at < bytes && (!block[at] || block[at] == 0xff))
		at++;
	at -= at % granule;
	if (at + HEADER + STREAM > bytes)
		return;
	if (count == BLOCKS_MAX)
		errx(2, "more than %d blocks", BLOCKS_MAX);
	for (i = 0; i < STREAM; i++)
		record->stream[i] = block[at + HEADER + i] ^ page[i];
	record->nonce = at;
	count++;
}

/* Records at the same offset of their blocks have the same nonce: one try is for all of these. */
static void try_nonce(const uint32_t *key, uint64_t nonce, bool any_nonce)
{
	uint32_t stream[STREAM / 4];
	unsigned int i;

	chacha20_block(stream, key, nonce);
	for (i = 0; i < count; i++)
		if ((any_nonce || records[i].nonce == nonce) &&
		    !memcmp(stream, records[i].stream, STREAM))
			records[i].places++;
}

static void try_key(const uint32_t *key, uint64_t nonces)
{
	uint64_t nonce;
	unsigned int i, before;

	for (nonce = 1; nonce <= nonces; nonce++)
		try_nonce(key, nonce, true);
	for (i = 0; i < count && !nonces; i++) {
		for (before = 0; records[before].nonce != records[i].nonce; before++)
			;
		if (before == i)
			try_nonce(key, records[i].nonce, false);
	}
}

int main(int argc, char **argv)
{
	size_t memory_bytes, page_bytes, media_bytes, block, label, granule, at;
	const uint8_t *memory, *page, *media;
	unsigned long places = 0;
	unsigned int i, keys = 0;

	if (argc != 8)
		errx(2, "usage: keydump MEMORY PAGE MEDIA BLOCK LABEL GRANULE NONCES");
	check_cipher();
	memory = mapped(argv[1], &memory_bytes);
	page = mapped(argv[2], &page_bytes);
	media = mapped(argv[3], &media_bytes);
	block = strtoul(argv[4], NULL, 0);
	label = strtoul(argv[5], NULL, 0);
	granule = strtoul(argv[6], NULL, 0);
	if (page_bytes < STREAM || !block || !granule || media_bytes % block)
		errx(2, "not a page, or not blocks");
	for (at = 0; at < media_bytes; at += block)
		add_record(media + at, block, label, granule, page);
	for (at = 0; at + KEY_WORDS * 4 <= memory_bytes; at += 4)
		if (may_be_key(memory + at))
			try_key((const uint32_t *)(memory + at), strtoull(argv[7], NULL, 0));
	for (i = 0; i < count; i++) {
		keys += records[i].places > 0;
		places += records[i].places;
	}
	printf("records %u keys %u places %lu\n", count, keys, places);
	return 0;
}
