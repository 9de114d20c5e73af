// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "places.h"

/* Larger ones would be more work to fill with zeroes than to discard and fault in. */
#define KEEP_BYTES	(256U << 10)

/* Values of extent.use; below them: the class of a run. */
#define USE_LARGE	254
#define USE_KEPT	255

/* A node of a taken extent. extent.first: where the object or the slots begin, in lines. */
struct node {
	struct extent extent;
	union {
		uint64_t vacant;	/* run: bit: that word of bits has a 0 */
		uint64_t bytes;		/* large: of the object */
	};
	uint16_t slots;			/* run: how many there are */
	uint16_t used;			/* run: how many have an object */
	uint16_t begun;			/* run: the slots from here on were never used */
	uint16_t spare;
	uint64_t bits[];		/* run: 1: the slot has an object */
};

/* A slot that an offset lies in. */
struct slot {
	struct node *run;
	uint32_t page;			/* first one of the run */
	uint32_t index;
	uint32_t stride;
	uint64_t at;
};

static struct node *node_at(const struct places *places, uint32_t page)
{
	return (struct node *)extents_at(&places->extents, page);
}

static uint64_t offset_of(const struct places *places, uint32_t page)
{
	return (uint64_t)page << places->page_shift;
}

/* pages_for() - more than there are, if @bytes are */
static uint32_t pages_for(const struct places *places, uint64_t bytes)
{
	uint64_t pages = (bytes >> places->page_shift) +
		!!(bytes & ((1ULL << places->page_shift) - 1));

	return pages < EXTENTS_NONE ? (uint32_t)pages : EXTENTS_NONE;
}

static size_t node_bytes(uint32_t page_bytes)
{
	return sizeof(struct node) + page_bytes / CLASSES_GRAIN / 8;
}

/**
 * places_memory() - how much memory do the places of a space need?
 * @pages: the number of pages of the space, up to EXTENTS_MOST
 * @page_bytes: of each: a power of two from 4 KiB to 64 KiB
 *
 * A page of 4 KiB needs 64 bytes. They are touched if an extent begins with this page.
 *
 * Return: the number of bytes.
 */
uint64_t places_memory(uint32_t pages, uint32_t page_bytes)
{
	return extents_memory(pages, node_bytes(page_bytes));
}

/**
 * places_begin() - begin with no objects, and with pages that read as zeroes
 * @places: the allocator
 * @memory: zeroes, places_memory() bytes, aligned to 8 bytes, better to 64
 * @pages: as for places_memory()
 * @page_bytes: as for places_memory()
 */
void places_begin(struct places *places, void *memory, uint32_t pages, uint32_t page_bytes)
{
	unsigned int class;

	memset(places, 0, sizeof(*places));
	extents_begin(&places->extents, memory, pages, node_bytes(page_bytes));
	places->page_shift = (unsigned int)__builtin_ctz(page_bytes);
	places->small = (size_t)CLASSES_PAGES * page_bytes;
	for (class = 0; class < CLASSES; class++) {
		places->classes[class].stride = class_stride(class);
		if (class_stride(class) <= places->small + CLASSES_LINE)
			places->classes[class].pages = class_pages(class_stride(class), page_bytes);
		places->classes[class].runs = EXTENTS_NONE;
	}
}

/* take_pages() - an extent that was kept, or a free one, whose pages read as zeroes */
static uint32_t take_pages(struct places *places, uint32_t pages, bool *fresh)
{
	unsigned int i;

	for (i = 0; i < PLACES_KEPT; i++) {
		if (places->kept[i].pages == pages) {
			places->kept[i].pages = 0;
			*fresh = false;
			return places->kept[i].page;
		}
	}
	*fresh = true;
	return extents_take(&places->extents, pages);
}

static void release(struct places *places, const struct places_range *range)
{
	if (range->pages)
		extents_give(&places->extents, range->page);
}

/* keep() - an extent is empty; @unused: the one that leaves kept[] for it, or itself */
static void keep(struct places *places, uint32_t page, struct places_range *unused)
{
	struct extent *extent = extents_at(&places->extents, page);
	struct places_range range = { page, extent->pages };
	unsigned int i;

	*unused = range;
	if (offset_of(places, extent->pages) <= KEEP_BYTES) {
		for (i = 0; i < PLACES_KEPT && places->kept[i].pages; i++)
			;
		if (i == PLACES_KEPT) {
			i = places->oldest;
			places->oldest = (i + 1) % PLACES_KEPT;
		}
		*unused = places->kept[i];
		places->kept[i] = range;
		extent->use = USE_KEPT;
	}
	release(places, unused);
}

/*
 * next_line() - where an extent with so many bytes left over begins: any line in turn
 *
 * Steps of the golden section are spread well, also if only every second one is for the objects of
 * one kind.
 */
static uint16_t next_line(struct places *places, uint64_t left)
{
	uint32_t lines = (1U << places->page_shift) / CLASSES_LINE;

	if (left < (uint64_t)(lines - 1) * CLASSES_LINE)
		lines = (uint32_t)left / CLASSES_LINE + 1;
	places->turn += 0x9e3779b9;
	return (uint16_t)((uint64_t)places->turn * lines >> 32);
}

/* new_run() - if no extent is large enough for a whole run, a shorter one of 2 slots or more */
static uint32_t new_run(struct places *places, unsigned int class)
{
	uint32_t stride = places->classes[class].stride, page = EXTENTS_NONE, slots, words;
	uint32_t pages = places->classes[class].pages;
	struct node *run;
	bool fresh;

	while (offset_of(places, pages) >= 2 * stride) {
		page = take_pages(places, pages, &fresh);
		if (page != EXTENTS_NONE)
			break;
		pages /= 2;
	}
	if (page == EXTENTS_NONE)
		return page;
	slots = (uint32_t)offset_of(places, pages) / stride;
	run = node_at(places, page);
	run->extent.use = (uint8_t)class;
	run->extent.first = next_line(places, offset_of(places, pages) - slots * stride);
	run->slots = (uint16_t)slots;
	run->used = 0;
	run->begun = fresh ? 0 : (uint16_t)slots;
	words = (slots + 63) / 64;
	run->vacant = UINT64_MAX >> (64 - words);
	memset(run->bits, 0, words * sizeof(uint64_t));
	extents_link(&places->extents, &places->classes[class].runs, page);
	return page;
}

/* take_slot() - the first free one of a run; the run leaves the list when its last one is taken */
static uint64_t take_slot(struct places *places, unsigned int class, bool *fresh)
{
	struct places_class *sized = &places->classes[class];
	uint32_t page = sized->runs, word, index;
	struct node *run;

	if (page == EXTENTS_NONE)
		page = new_run(places, class);
	if (page == EXTENTS_NONE)
		return PLACES_NONE;
	run = node_at(places, page);
	word = (uint32_t)__builtin_ctzll(run->vacant);
	index = word * 64 + (uint32_t)__builtin_ctzll(~run->bits[word]);
	run->bits[word] |= 1ULL << (index % 64);
	if (!~run->bits[word])
		run->vacant &= ~(1ULL << word);
	if (++run->used == run->slots)
		extents_unlink(&places->extents, &sized->runs, page);
	*fresh = index >= run->begun;
	if (*fresh)
		run->begun = (uint16_t)(index + 1);
	places->objects++;
	places->bytes += sized->stride;
	return offset_of(places, page) + run->extent.first * CLASSES_LINE + index * sized->stride;
}

static uint64_t begin_large(struct places *places, uint32_t page, size_t bytes, uint32_t line)
{
	struct node *node = node_at(places, page);

	node->extent.use = USE_LARGE;
	node->extent.first = (uint16_t)line;
	node->bytes = bytes;
	places->objects++;
	places->bytes += bytes;
	return offset_of(places, page) + line * CLASSES_LINE;
}

/* take_large() - an object gets an extent, with a page more if its lines could not differ else */
static uint64_t take_large(struct places *places, size_t bytes, bool *fresh)
{
	uint32_t pages = pages_for(places, bytes), page = EXTENTS_NONE;
	uint64_t left;

	if (pages > places->extents.pages)
		return PLACES_NONE;
	left = offset_of(places, pages) - bytes;
	if (bytes > places->small && left < offset_of(places, 1) / 2) {
		page = take_pages(places, pages + 1, fresh);
		if (page != EXTENTS_NONE)
			left += offset_of(places, 1);
	}
	if (page == EXTENTS_NONE)
		page = take_pages(places, pages, fresh);
	if (page == EXTENTS_NONE)
		return PLACES_NONE;
	return begin_large(places, page, bytes, next_line(places, left));
}

/**
 * places_take() - a place for an object
 * @places: the allocator
 * @bytes: how many, 0 as 1
 * @fresh: filled in: its bytes read as zeroes, if the pages that were unused do; else they may be
 *	anything
 *
 * If it fails, call places_trim() until that returns false, and try again.
 *
 * Return: its offset in the space, a multiple of 16; PLACES_NONE.
 */
uint64_t places_take(struct places *places, size_t bytes, bool *fresh)
{
	uint64_t at = PLACES_NONE;

	if (!bytes)
		bytes = 1;
	if (bytes <= places->small)
		at = take_slot(places, class_of((uint32_t)bytes), fresh);
	if (at == PLACES_NONE)
		at = take_large(places, bytes, fresh);
	return at;
}

/* take_apart() - an extent that begins at a multiple of @align; the pages around it stay free */
static uint64_t take_apart(struct places *places, size_t bytes, uint32_t align, bool *fresh)
{
	uint32_t pages = pages_for(places, bytes), page, step = align >> places->page_shift, skip;
	uint32_t line;

	if (pages > places->extents.pages)
		return PLACES_NONE;
	if (step <= 1) {
		page = take_pages(places, pages, fresh);
	} else {
		*fresh = true;
		page = extents_take(&places->extents, pages + step - 1);
	}
	if (page == EXTENTS_NONE)
		return PLACES_NONE;
	skip = step > 1 ? -page & (step - 1) : 0;
	if (skip) {
		extents_split(&places->extents, page, skip);
		extents_give(&places->extents, page);
		page += skip;
	}
	if (extents_at(&places->extents, page)->pages > pages)
		extents_give(&places->extents, extents_split(&places->extents, page, pages));
	line = step ? 0 : next_line(places, offset_of(places, pages) - bytes);
	return begin_large(places, page, bytes, line & -(align / CLASSES_LINE));
}

/**
 * places_take_aligned() - a place for an object, aligned
 * @places: the allocator
 * @bytes: how many, 0 as 1
 * @align: a power of two, up to PLACES_ALIGN, which the space has to be aligned to, then
 * @fresh: as for places_take()
 *
 * Return: its offset in the space; PLACES_NONE.
 */
uint64_t places_take_aligned(struct places *places, size_t bytes, size_t align, bool *fresh)
{
	size_t least = bytes < align ? align : bytes;
	unsigned int class, power;
	uint64_t at = PLACES_NONE;

	if (align > PLACES_ALIGN)
		return PLACES_NONE;
	if (!bytes)
		bytes = 1;
	if (align <= CLASSES_GRAIN || (align <= CLASSES_LINE && bytes > places->small))
		return places_take(places, bytes, fresh);
	/* The powers of two fit into a page, so their runs begin with its first byte. */
	power = CLASSES_PLAIN;
	while (power < CLASSES && class_stride(power) < least)
		power++;
	if (power == CLASSES || 2 * class_stride(power) > offset_of(places, 1))
		power = UINT32_MAX;
	if (align <= CLASSES_LINE) {
		class = class_of((uint32_t)least);
		while (class_stride(class) % align)
			class++;
		if (power == UINT32_MAX || class_stride(class) <= class_stride(power))
			power = class;
	}
	if (power != UINT32_MAX)
		at = take_slot(places, power, fresh);
	if (at == PLACES_NONE)
		at = take_apart(places, bytes, (uint32_t)align, fresh);
	return at;
}

/* find_slot() - the slot that the byte @inside of a run lies in */
static bool find_slot(const struct places *places, uint32_t page, uint64_t inside,
		      struct slot *slot)
{
	uint64_t first;

	slot->run = node_at(places, page);
	slot->page = page;
	slot->stride = places->classes[slot->run->extent.use].stride;
	first = offset_of(places, page) + slot->run->extent.first * CLASSES_LINE;
	slot->index = (uint32_t)(inside - first) / slot->stride;
	if (inside < first || slot->index >= slot->run->slots)
		return false;
	slot->at = first + slot->index * slot->stride;
	return slot->run->bits[slot->index / 64] >> (slot->index % 64) & 1;
}

/* find_extent() - the extent with the byte @inside, if it is a run, or has an object */
static uint32_t find_extent(const struct places *places, uint64_t inside)
{
	uint32_t page = EXTENTS_NONE;

	if (inside >> places->page_shift < places->extents.pages)
		page = extents_find(&places->extents, (uint32_t)(inside >> places->page_shift));
	if (page != EXTENTS_NONE && extents_at(&places->extents, page)->use == USE_KEPT)
		page = EXTENTS_NONE;
	return page;
}

static uint64_t large_at(const struct places *places, uint32_t page)
{
	return offset_of(places, page) + extents_at(&places->extents, page)->first * CLASSES_LINE;
}

static void give_slot(struct places *places, const struct slot *slot, struct places_range *unused)
{
	struct node *run = slot->run;
	uint32_t *runs = &places->classes[run->extent.use].runs;

	run->bits[slot->index / 64] &= ~(1ULL << (slot->index % 64));
	run->vacant |= 1ULL << (slot->index / 64);
	if (run->used == run->slots)
		extents_link(&places->extents, runs, slot->page);
	places->objects--;
	places->bytes -= slot->stride;
	if (--run->used)
		return;
	extents_unlink(&places->extents, runs, slot->page);
	keep(places, slot->page, unused);
}

/**
 * places_give() - an object goes
 * @places: the allocator
 * @at: its offset
 * @unused: filled in: pages that are free from now on, maybe of an earlier object; 0 pages: none.
 *	The caller makes them read as zeroes before it takes another place.
 *
 * Return: false, if no object begins there.
 */
bool places_give(struct places *places, uint64_t at, struct places_range *unused)
{
	uint32_t page = find_extent(places, at);
	struct slot slot;

	unused->page = 0;
	unused->pages = 0;
	if (page == EXTENTS_NONE)
		return false;
	if (extents_at(&places->extents, page)->use != USE_LARGE) {
		if (!find_slot(places, page, at, &slot) || slot.at != at)
			return false;
		give_slot(places, &slot, unused);
		return true;
	}
	if (at != large_at(places, page))
		return false;
	places->objects--;
	places->bytes -= node_at(places, page)->bytes;
	keep(places, page, unused);
	return true;
}

/**
 * places_trim() - one of the extents that are empty, and were kept, is free
 * @places: the allocator
 * @unused: filled in, as for places_give()
 *
 * Return: false, if none is kept.
 */
bool places_trim(struct places *places, struct places_range *unused)
{
	unsigned int i;

	for (i = 0; i < PLACES_KEPT; i++) {
		if (!places->kept[i].pages)
			continue;
		*unused = places->kept[i];
		places->kept[i].pages = 0;
		release(places, unused);
		return true;
	}
	return false;
}

/**
 * places_find() - which object has this byte?
 * @places: the allocator
 * @inside: any offset
 * @at: filled in: where the object begins
 * @bytes: filled in: the size that the caller asked for, if the object has an extent of its own
 *	(all above 16 pages); else the size of its slot
 *
 * Return: false, if none has.
 */
bool places_find(const struct places *places, uint64_t inside, uint64_t *at, size_t *bytes)
{
	uint32_t page = find_extent(places, inside);
	struct slot slot;

	if (page == EXTENTS_NONE)
		return false;
	if (extents_at(&places->extents, page)->use == USE_LARGE) {
		*at = large_at(places, page);
		*bytes = (size_t)node_at(places, page)->bytes;
		return inside >= *at && inside - *at < *bytes;
	}
	if (!find_slot(places, page, inside, &slot))
		return false;
	*at = slot.at;
	*bytes = slot.stride;
	return true;
}

/* resize_large() - pages at the end come, or go */
static bool resize_large(struct places *places, uint32_t page, size_t bytes,
			 struct places_range *unused)
{
	struct node *node = node_at(places, page);
	uint32_t pages = pages_for(places, node->extent.first * CLASSES_LINE + (uint64_t)bytes);

	/* It may fit into a slot. */
	if (bytes <= places->small && bytes < node->bytes / 2)
		return false;
	if (pages > places->extents.pages ||
	    (pages > node->extent.pages && !extents_grow(&places->extents, page, pages)))
		return false;
	if (pages < node->extent.pages) {
		unused->pages = node->extent.pages - pages;
		unused->page = extents_split(&places->extents, page, pages);
		release(places, unused);
	}
	places->bytes += bytes - node->bytes;
	node->bytes = bytes;
	return true;
}

/**
 * places_resize() - an object gets another size, and stays where it is
 * @places: the allocator
 * @at: its offset
 * @bytes: the new size, 0 as 1
 * @unused: filled in, as for places_give()
 * @zeroes: filled in: an offset; added bytes from here on read as zeroes, added bytes before it may
 *	be anything
 *
 * Return: false, and nothing is changed, if the object has to move, because the room behind it is
 * taken or because it would be much smaller than its place; or if no object begins there.
 */
bool places_resize(struct places *places, uint64_t at, size_t bytes, struct places_range *unused,
		   uint64_t *zeroes)
{
	uint32_t page = find_extent(places, at);
	const struct extent *extent;
	struct slot slot;

	unused->page = 0;
	unused->pages = 0;
	if (page == EXTENTS_NONE)
		return false;
	if (!bytes)
		bytes = 1;
	extent = extents_at(&places->extents, page);
	*zeroes = offset_of(places, page + extent->pages);
	if (extent->use == USE_LARGE)
		return at == large_at(places, page) && resize_large(places, page, bytes, unused);
	return find_slot(places, page, at, &slot) && slot.at == at && bytes <= slot.stride &&
	       (bytes >= slot.stride / 2 || slot.stride <= 2 * CLASSES_GRAIN);
}

/* has_bit() - is one of the slots from @from to @to, inclusively, in use? */
static bool has_bit(const struct node *run, uint32_t from, uint32_t to)
{
	uint32_t word;

	for (word = from / 64; word <= to / 64; word++) {
		uint64_t bits = run->bits[word];

		if (word == from / 64)
			bits &= UINT64_MAX << (from % 64);
		if (word == to / 64)
			bits &= UINT64_MAX >> (63 - to % 64);
		if (bits)
			return true;
	}
	return false;
}

/**
 * places_used() - does a page have an object, or a part of one?
 * @places: the allocator
 * @page: any page
 *
 * A run may have pages without an object, which places_give() does not report. The caller may
 * discard a page that is not used at any time, instead of saving it.
 */
bool places_used(const struct places *places, uint32_t page)
{
	uint32_t head = find_extent(places, offset_of(places, page)), from, to, stride;
	uint64_t first, begin, end;
	const struct node *node;

	if (head == EXTENTS_NONE)
		return false;
	node = node_at(places, head);
	first = large_at(places, head);
	begin = offset_of(places, page);
	end = begin + offset_of(places, 1);
	if (node->extent.use == USE_LARGE)
		return begin < first + node->bytes;
	stride = places->classes[node->extent.use].stride;
	from = begin < first ? 0 : (uint32_t)(begin - first) / stride;
	to = (uint32_t)(end - 1 - first) / stride;
	if (to >= node->slots)
		to = node->slots - 1U;
	return from <= to && has_bit(node, from, to);
}
