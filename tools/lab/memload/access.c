// SPDX-License-Identifier: GPL-2.0
/*
 * Loads and stores are atomic ones, which cost the same as others: a compiler leaves none out.
 */
#include <errno.h>
#include "access.h"

/* A number below another one; the first way is many times as fast on a processor of 32 bits. */
static size_t below(struct sequence *sequence, size_t limit)
{
	uint64_t number = sequence_next(sequence);

	if (limit <= UINT32_MAX)
		return (size_t)((number >> 32) * limit >> 32);
	return (size_t)(number % limit);
}

static size_t next_byte(struct access *access, struct sequence *sequence)
{
	size_t at = access->at, size = access->region->size;

	if (access->random)
		return below(sequence, size);
	access->at = access->stride < size - at ? at + (size_t)access->stride : 0;
	return at;
}

static uint64_t compute(uint64_t number, uint64_t rounds)
{
	while (rounds--) {
		number ^= number >> 29;
		number = number * UINT64_C(0xd6e8feb86659fd93) + 1;
	}
	return number;
}

static uint8_t load(const uint8_t *byte)
{
	return __atomic_load_n(byte, __ATOMIC_RELAXED);
}

static void store(uint8_t *byte, uint8_t value)
{
	__atomic_store_n(byte, value, __ATOMIC_RELAXED);
}

/* What is written is as easy to compress as what was there, so that swap has as much to do. */
static int access_bytes(struct accesses *all, struct access *access, unsigned int n)
{
	size_t random = contents_random(&all->regions->contents), mask = all->regions->page - 1;
	struct sequence sequence = all->sequence;
	struct access now = *access;
	uint64_t result = all->result;
	uint8_t *map = now.region->map;

	while (n--) {
		size_t at = next_byte(&now, &sequence);

		if (now.mode != PATCFG_WRITE)
			result += load(map + at);
		if (now.mode != PATCFG_READ)
			store(map + at, (at & mask) < random ? (uint8_t)(result + 3 * n) :
			      CONTENTS_CONSTANT);
		result = compute(result, all->rounds);
	}
	*access = now;
	all->sequence = sequence;
	all->result = result;
	return 0;
}

/* The contents stay, and a write is one to the stamp, so that all of a page can be verified. */
static int access_stamps(struct accesses *all, struct access *access, unsigned int n)
{
	struct region *region = access->region;

	while (n--) {
		size_t at = next_byte(access, &all->sequence), nr = at / all->regions->page;

		all->result += load(region->map + at);
		if (region_check_stamp(all->regions, region, nr))
			return -EBADMSG;
		if (access->mode != PATCFG_READ)
			region_stamp(all->regions, region, nr)->writes = ++region->writes[nr];
		all->result = compute(all->result, all->rounds);
	}
	return 0;
}

/**
 * access_some() - do some accesses
 * @all: what all accesses have
 * @access: what these have
 * @n: how many
 *
 * Return: 0; -EBADMSG, if data were wrong, and this was said.
 */
int access_some(struct accesses *all, struct access *access, unsigned int n)
{
	if (access->region->writes)
		return access_stamps(all, access, n);
	return access_bytes(all, access, n);
}
