// SPDX-License-Identifier: GPL-2.0
/*
 * Seals: what tells the present version of a page from everything else on the media.
 *
 * This unit numbers the versions of pages, and owns the key of media that are rewritten in place.
 * Each version that is encrypted has a number of its own, which is the nonce. Its remainder by
 * MTDC_GENERATIONS is the generation in the map, and the quotient, its turn, stands behind the
 * page on the media. So the number takes 4 bytes there. Of older versions of the page in the same
 * place, only one in MTDC_GENERATIONS has the same generation; all others are refused.
 *
 * Plain pages have the generation in their checksums. The log has a key for each eraseblock, and
 * seals its pages itself (log_pages.c).
 *
 * The stores call this unit in any context, with or without the store's lock.
 */
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "store_seals.h"

/* Bytes of a turn. They last for 2^32 times MTDC_GENERATIONS pages, which is 16 PiB. */
#define TURN_BYTES	4U

/**
 * mtdc_seals_init() - begin
 * @seals: the seals, zeroed
 * @seal: how pages are sealed
 */
void mtdc_seals_init(struct mtdc_seals *seals, enum mtdc_seal seal)
{
	seals->seal = seal;
	seals->nonce = get_random_u32();
	if (seal == MTDC_SEAL_COUNTED)
		get_random_bytes(seals->key, sizeof(seals->key));
}

/**
 * mtdc_seals_wipe() - wipe the key
 * @seals: the seals, which are not used any more
 */
void mtdc_seals_wipe(struct mtdc_seals *seals)
{
	memzero_explicit(seals->key, sizeof(seals->key));
}

/**
 * mtdc_seals_replace() - let no page be opened any more
 * @seals: the seals; pages may be closed at the same time, so the key becomes another one
 */
void mtdc_seals_replace(struct mtdc_seals *seals)
{
	get_random_bytes(seals->key, sizeof(seals->key));
}

/**
 * mtdc_seals_tail() - bytes that a sealed page has behind its payload
 * @seal: how it is sealed
 *
 * Return: bytes.
 */
u32 mtdc_seals_tail(enum mtdc_seal seal)
{
	switch (seal) {
	case MTDC_SEAL_COUNTED:
		return MTDC_CRYPT_BYTES + TURN_BYTES;
	case MTDC_SEAL_BLOCKS:
		return MTDC_CRYPT_BYTES;
	default:
		return 0;
	}
}

static u64 next_turn(struct mtdc_seals *seals, u32 *generation)
{
	return div_u64_rem(atomic64_inc_return(&seals->count), MTDC_GENERATIONS, generation);
}

/**
 * mtdc_seals_generation() - number the next version of a page
 * @seals: the seals
 *
 * Return: its generation.
 */
u32 mtdc_seals_generation(struct mtdc_seals *seals)
{
	u32 generation;

	next_turn(seals, &generation);
	return generation;
}

/**
 * mtdc_seals_id() - what the header of a plain fragment says
 * @seals: the seals
 * @page: the logical page
 * @generation: its version
 * @nr: number of the fragment in its chain
 *
 * Return: the identity of the fragment.
 */
struct mtdc_media_id mtdc_seals_id(const struct mtdc_seals *seals, u32 page, u32 generation,
				   unsigned int nr)
{
	return (struct mtdc_media_id) {
		.nonce = seals->nonce,
		.page = page,
		.generation = generation,
		.nr = nr,
	};
}

static struct mtdc_crypt_id crypt_id(const struct mtdc_seals *seals, u32 page,
				     const struct mtdc_place *place, u32 turn)
{
	return (struct mtdc_crypt_id) {
		.key = seals->key,
		.nonce = (u64)turn * MTDC_GENERATIONS + place->generation,
		.page = page,
		.generation = place->generation,
		.kind = place->kind,
	};
}

/* Where the turn of an encrypted page of @bytes stands. */
static void *turn_of(void *fragment, u32 bytes)
{
	return fragment + MTDC_FRAGMENT_BYTES + bytes - TURN_BYTES;
}

/**
 * mtdc_seals_close() - number the next version of a page, and seal it as one fragment
 * @seals: the seals, not MTDC_SEAL_BLOCKS
 * @fragment: room for a header, the payload, and room for the tail and MTDC_TAG_BYTES
 * @page: the logical page
 * @place: its kind and length, with the tail; this fills in the generation
 *
 * Return: 0; -EIO if the key has sealed as many pages as there are numbers.
 */
int mtdc_seals_close(struct mtdc_seals *seals, void *fragment, u32 page, struct mtdc_place *place)
{
	u64 turn = next_turn(seals, &place->generation);
	struct mtdc_crypt_id id;
	__le32 stored;

	if (!mtdc_seals_encrypt(seals)) {
		struct mtdc_media_id plain = mtdc_seals_id(seals, page, place->generation, 0);

		mtdc_media_seal(fragment, place->bytes, &plain);
		return 0;
	}
	if (turn > U32_MAX)
		return -EIO;
	id = crypt_id(seals, page, place, turn);
	mtdc_crypt_seal(fragment, place->bytes - mtdc_seals_tail(seals->seal), &id);
	stored = cpu_to_le32(turn);
	memcpy(turn_of(fragment, place->bytes), &stored, sizeof(stored));
	return 0;
}

/**
 * mtdc_seals_open() - check a page that was read from the media, and decrypt it
 * @seals: the seals, not MTDC_SEAL_BLOCKS
 * @fragment: the bytes that were read, as one fragment, with room for MTDC_TAG_BYTES behind it
 * @page: the expected page
 * @place: its expected kind, length and generation
 *
 * Return: 0, or -EBADMSG if it is another one, or changed.
 */
int mtdc_seals_open(const struct mtdc_seals *seals, void *fragment, u32 page,
		    const struct mtdc_place *place)
{
	struct mtdc_crypt_id id;
	__le32 turn;

	if (!mtdc_seals_encrypt(seals)) {
		struct mtdc_media_id plain = mtdc_seals_id(seals, page, place->generation, 0);

		return mtdc_media_verify(fragment, place->bytes, &plain);
	}
	memcpy(&turn, turn_of(fragment, place->bytes), sizeof(turn));
	id = crypt_id(seals, page, place, le32_to_cpu(turn));
	return mtdc_crypt_open(fragment, place->bytes - mtdc_seals_tail(seals->seal), &id);
}
