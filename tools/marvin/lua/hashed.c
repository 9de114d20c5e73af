// SPDX-License-Identifier: GPL-2.0

#define XXH_INLINE_ALL
#include <xxhash.h>
#include "hashed.h"

static size_t pairs(const struct hashed *hashed)
{
	return hashed->packed.cells / 2;
}

static const struct packed_cell *key_at(const void *buffer, size_t pair)
{
	return (const struct packed_cell *)buffer + 2 * pair;
}

static size_t begin(const struct hashed *hashed, const struct packed_value *key)
{
	uint64_t bits[2] = { key->bits, key->tag };
	uint64_t hash = key->tag == PACKED_TEXT ?
			XXH3_64bits_withSeed(key->text, key->size, hashed->seed) :
			XXH3_64bits_withSeed(bits, sizeof(bits), hashed->seed);

	return (size_t)hash & (pairs(hashed) - 1);
}

/**
 * hashed_find() - the pair of a key
 * @hashed: of the buffer
 * @buffer: the buffer
 * @key: not nil, nor NaN; a float that is an integer is one
 *
 * Return: its number, or HASHED_NONE.
 */
size_t hashed_find(const struct hashed *hashed, const void *buffer, const struct packed_value *key)
{
	size_t pair = begin(hashed, key);

	/* There is always a free pair, see hashed_is_crowded(). */
	for (; key_at(buffer, pair)->tag != PACKED_NIL; pair = (pair + 1) & (pairs(hashed) - 1))
		if (packed_is(&hashed->packed, buffer, 2 * pair, key))
			return pair;
	return HASHED_NONE;
}

/**
 * hashed_is_crowded() - has another pair no place here?
 * @hashed: of a buffer
 */
bool hashed_is_crowded(const struct hashed *hashed)
{
	return (hashed->count + hashed->dead + 1) * 4 > pairs(hashed) * 3;
}

/**
 * hashed_wanted() - how many pairs the next buffer should have
 * @hashed: of a buffer that is crowded
 *
 * Return: a power of two; no more than half of them will be taken.
 */
size_t hashed_wanted(const struct hashed *hashed)
{
	size_t n = 8;

	while (n / 2 < hashed->count + 1)
		n *= 2;
	return n;
}

/**
 * hashed_add() - a pair for a key that has none
 * @hashed: of the buffer, which is not crowded
 * @buffer: the buffer
 * @key: the buffer has room for its text
 *
 * Return: its number; its value is nil.
 */
size_t hashed_add(struct hashed *hashed, void *buffer, const struct packed_value *key)
{
	size_t pair = begin(hashed, key);

	while (key_at(buffer, pair)->tag != PACKED_NIL && key_at(buffer, pair)->tag != PACKED_DEAD)
		pair = (pair + 1) & (pairs(hashed) - 1);
	hashed->dead -= key_at(buffer, pair)->tag == PACKED_DEAD;
	hashed->count++;
	packed_put(&hashed->packed, buffer, 2 * pair, key);
	return pair;
}

/**
 * hashed_remove() - a pair
 * @hashed: of the buffer
 * @buffer: the buffer
 * @pair: its number
 */
void hashed_remove(struct hashed *hashed, void *buffer, size_t pair)
{
	const struct packed_value dead = { .tag = PACKED_DEAD }, nil = { .tag = PACKED_NIL };

	packed_put(&hashed->packed, buffer, 2 * pair, &dead);
	packed_put(&hashed->packed, buffer, 2 * pair + 1, &nil);
	hashed->count--;
	hashed->dead++;
}

/**
 * hashed_next() - go through all pairs
 * @hashed: of the buffer
 * @buffer: the buffer
 * @pair: where to look first
 *
 * Return: the first pair from there on, or HASHED_NONE.
 */
size_t hashed_next(const struct hashed *hashed, const void *buffer, size_t pair)
{
	for (; pair < pairs(hashed); pair++)
		if (key_at(buffer, pair)->tag != PACKED_NIL &&
		    key_at(buffer, pair)->tag != PACKED_DEAD)
			return pair;
	return HASHED_NONE;
}

/**
 * hashed_move() - all pairs to another buffer, without dead keys
 * @from: of the buffer
 * @buffer: the buffer, which does not change
 * @to: of the other one: its size is set, and its seed
 * @to_buffer: the other one, all zeroes, with room enough
 */
void hashed_move(const struct hashed *from, const void *buffer, struct hashed *to, void *to_buffer)
{
	struct packed_value value;
	size_t pair, there;

	for (pair = 0; (pair = hashed_next(from, buffer, pair)) != HASHED_NONE; pair++) {
		packed_get(&from->packed, buffer, 2 * pair, &value);
		there = hashed_add(to, to_buffer, &value);
		packed_get(&from->packed, buffer, 2 * pair + 1, &value);
		packed_put(&to->packed, to_buffer, 2 * there + 1, &value);
	}
}

/**
 * hashed_copy() - the same to a buffer for as many pairs, and each keeps its place
 * @from: of the buffer
 * @buffer: the buffer, which does not change
 * @to: of the other one: its size is set, and its seed
 * @to_buffer: the other one, all zeroes, with room enough
 *
 * The program may be in the middle of pairs().
 */
void hashed_copy(const struct hashed *from, const void *buffer, struct hashed *to, void *to_buffer)
{
	packed_move(&from->packed, buffer, &to->packed, to_buffer, from->packed.cells);
	to->count = from->count;
	to->dead = from->dead;
}
