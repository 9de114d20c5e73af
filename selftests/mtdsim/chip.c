// SPDX-License-Identifier: GPL-2.0
/*
 * The cells of the media: their rules, their wear, their faults, and the time that operations take.
 *
 * The chip does an operation in one step: the read or program of a page (NAND), the program of a
 * write buffer (PCM, NOR), the erase of a block. A read of other types than NAND is one operation
 * of any length.
 *
 * This file uses the memory that it is given. It takes no lock, allocates, prints and waits for
 * nothing, and does not know MTDs.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "chip.h"

/* Size of a write buffer, or of an eraseblock for a chip without one. */
static u32 buffer_bytes(const struct sim_config *config)
{
	return min(config->times.program_unit ?: config->erasesize,
		   config->erasesize);
}

/* An erase of a medium that needs none is a write of ones. */
static u32 erase_wear(const struct sim_config *config)
{
	if (config->type == SIM_NOR || config->type == SIM_NAND)
		return 1;
	return config->erasesize / buffer_bytes(config);
}

/* All types except NAND. */
static void charge_read(struct sim_chip *chip, u32 offset, u32 len)
{
	const struct sim_times *times = &chip->config->times;
	u32 units;

	if (!times->bus_bytes || !len)
		return;
	units = (offset + len - 1) / times->read_unit -
		offset / times->read_unit + 1;
	chip->counters.ns += (u64)units * times->read_ns +
		(u64)DIV_ROUND_UP(len, times->bus_bytes) * times->read_cycle_ns;
}

/* NAND: reading a page costs the same for any size, plus the bus cycles. */
static void charge_page_read(struct sim_chip *chip, u32 len)
{
	const struct sim_times *times = &chip->config->times;

	if (!times->bus_bytes)
		return;
	chip->counters.ns += times->read_ns +
		(u64)DIV_ROUND_UP(len, times->bus_bytes) * times->read_cycle_ns;
}

/* Cost of one write buffer, or page. */
static void charge_program(struct sim_chip *chip, u32 len)
{
	const struct sim_times *times = &chip->config->times;

	if (!times->bus_bytes)
		return;
	chip->counters.ns += times->program_ns +
		(u64)DIV_ROUND_UP(len, times->bus_bytes) *
		times->write_cycle_ns;
}

static void charge_erase(struct sim_chip *chip)
{
	const struct sim_config *config = chip->config;
	const struct sim_times *times = &config->times;

	if (times->erase_unit)
		chip->counters.ns += times->erase_ns *
			(u64)DIV_ROUND_UP(config->erasesize, times->erase_unit);
	else if (times->bus_bytes)
		chip->counters.ns += times->program_ns *
			(u64)(config->erasesize / buffer_bytes(config));
}

static bool due(struct sim_chip *chip, enum sim_fault_kind kind)
{
	return sim_fault_due(&chip->faults[kind], &chip->random);
}

static void power_off(struct sim_chip *chip)
{
	chip->off = true;
	chip->counters.power_cuts++;
}

/* Called before each operation. */
static int begin(struct sim_chip *chip)
{
	if (!chip->off && !due(chip, SIM_POWER_CUT))
		return 0;
	if (chip->off)
		chip->counters.refused_off++;
	else
		power_off(chip);
	return -EIO;
}

/* A program may fail with -ENOMEM, as in drivers that allocate for it. */
static int begin_program(struct sim_chip *chip)
{
	int err = begin(chip);

	return !err && due(chip, SIM_NO_MEMORY) ? -ENOMEM : err;
}

static int violation(struct sim_chip *chip)
{
	chip->counters.violations++;
	return -EIO;
}

static int program_error(struct sim_chip *chip)
{
	chip->counters.program_errors++;
	return -EIO;
}

static int erase_error(struct sim_chip *chip)
{
	chip->counters.erase_errors++;
	return -EIO;
}

static void forget_flips(struct sim_chip *chip, u32 offset, u32 len)
{
	unsigned int i = 0;

	while (i < chip->nflips) {
		if (chip->flips[i].offset - offset < len)
			chip->flips[i] = chip->flips[--chip->nflips];
		else
			i++;
	}
}

static void apply_flips(const struct sim_chip *chip, u32 offset, u32 len,
			u8 *data)
{
	unsigned int i;

	for (i = 0; i < chip->nflips; i++)
		if (chip->flips[i].offset - offset < len)
			data[chip->flips[i].offset - offset] ^=
				chip->flips[i].mask;
}

static unsigned int count_flips(const struct sim_chip *chip, u32 offset,
				u32 len)
{
	unsigned int i, n = 0;

	for (i = 0; i < chip->nflips; i++)
		n += chip->flips[i].offset - offset < len;
	return n;
}

/* A second flip of a wrong bit makes it right again. */
static int flip_bit(struct sim_chip *chip, u32 offset, u8 mask)
{
	unsigned int i;

	for (i = 0; i < chip->nflips; i++) {
		if (chip->flips[i].offset == offset &&
		    chip->flips[i].mask == mask) {
			chip->flips[i] = chip->flips[--chip->nflips];
			return 0;
		}
	}
	if (chip->nflips == SIM_FLIPS_MAX)
		return -ENOSPC;
	chip->flips[chip->nflips++] = (struct sim_flip){ offset, mask };
	return 0;
}

/* The byte as it reads, with its wrong bits. */
static u8 cell(const struct sim_chip *chip, u32 offset)
{
	u8 byte = chip->data[offset];

	if (chip->nflips)
		apply_flips(chip, offset, 1, &byte);
	return byte;
}

/* Flip bits in the reader's buffer only, at most one in each byte. */
static void spoil(struct sim_chip *chip, u8 *data, u32 len, u32 bits)
{
	u32 at = sim_random_below(&chip->random, len);

	for (bits = min(bits, len); bits; bits--, at++)
		data[at % len] ^= 1 << sim_random_below(&chip->random, 8);
}

/**
 * sim_chip_blocks() - number of eraseblocks
 * @config: of a device
 *
 * Context: any.
 * Return: the number.
 */
u32 sim_chip_blocks(const struct sim_config *config)
{
	return config->size / config->erasesize;
}

/**
 * sim_chip_pages() - number of pages with a state
 * @config: of a device
 *
 * Context: any.
 * Return: the number; 0 for other types than NAND.
 */
u32 sim_chip_pages(const struct sim_config *config)
{
	return config->type == SIM_NAND ? config->size / config->writesize : 0;
}

/**
 * sim_chip_oob_bytes() - out-of-band bytes of all pages
 * @config: of a device
 *
 * Context: any.
 * Return: the number; 0 for other types than NAND.
 */
u64 sim_chip_oob_bytes(const struct sim_config *config)
{
	return (u64)sim_chip_pages(config) * config->oobsize;
}

/**
 * sim_chip_init() - begin with an erased chip
 * @chip: the chip; its data, oob, blocks and pages point to memory. The caller has zeroed blocks
 *    and pages.
 * @config: the device
 *
 * Context: any.
 */
void sim_chip_init(struct sim_chip *chip, const struct sim_config *config)
{
	unsigned int i;

	chip->config = config;
	sim_random_seed(&chip->random, config->seed);
	memset(chip->data, 0xff, config->size);
	if (chip->oob)
		memset(chip->oob, 0xff, sim_chip_oob_bytes(config));
	for (i = 0; i < config->nbad; i++) {
		chip->blocks[config->bad[i]].broken = true;
		sim_chip_mark_bad(chip, config->bad[i]);
	}
}

/**
 * sim_chip_renew() - begin anew
 * @chip: the chip; gets the state after sim_chip_init(), without faults, wear or counts
 *
 * Context: any; the caller serialises.
 */
void sim_chip_renew(struct sim_chip *chip)
{
	const struct sim_config *config = chip->config;

	memset(chip->blocks, 0,
	       sim_chip_blocks(config) * sizeof(*chip->blocks));
	if (chip->pages)
		memset(chip->pages, 0,
		       sim_chip_pages(config) * sizeof(*chip->pages));
	memset(chip->faults, 0, sizeof(chip->faults));
	memset(&chip->counters, 0, sizeof(chip->counters));
	chip->nflips = 0;
	chip->off = false;
	sim_chip_init(chip, config);
}

/**
 * sim_chip_read() - read from other types than NAND
 * @chip: the chip
 * @offset: first byte
 * @len: bytes, at least 1
 * @data: destination
 *
 * Context: any; the caller serialises.
 * Return: 0, -EIO, -EUCLEAN with right bytes in @data or -EBADMSG with wrong ones.
 */
int sim_chip_read(struct sim_chip *chip, u32 offset, u32 len, u8 *data)
{
	struct sim_counters *counters = &chip->counters;
	int err = begin(chip);

	if (err)
		return err;
	counters->reads++;
	charge_read(chip, offset, len);
	if (due(chip, SIM_FAIL_READ)) {
		counters->read_errors++;
		return -EIO;
	}
	memcpy(data, chip->data + offset, len);
	counters->bytes_read += len;
	if (chip->nflips)
		apply_flips(chip, offset, len, data);
	if (due(chip, SIM_FLIP))
		spoil(chip, data, len, 1);
	if (due(chip, SIM_ECC_FAIL)) {
		spoil(chip, data, len, 1);
		counters->reads_uncorrectable++;
		return -EBADMSG;
	}
	if (due(chip, SIM_CORRECTED)) {
		counters->bits_corrected++;
		return -EUCLEAN;
	}
	return 0;
}

static bool only_clears(const struct sim_chip *chip, u32 offset, u32 len,
			const u8 *data)
{
	u32 i;

	for (i = 0; i < len; i++)
		if (data[i] & ~cell(chip, offset + i))
			return false;
	return true;
}

/* Called before the check for a broken block. */
static void may_break(struct sim_chip *chip, struct sim_block *block)
{
	if (due(chip, SIM_BREAK))
		block->broken = true;
}

/* Count the wear. Return: true if the block is broken. */
static bool wear_out(struct sim_chip *chip, struct sim_block *block, u32 writes)
{
	u32 endurance = chip->config->endurance;

	if (endurance && block->wear >= endurance)
		block->broken = true;
	else if (!block->broken)
		block->wear += writes;
	return block->broken;
}

/*
 * Choose how much of a program of @len bytes is done: all of it; a part, with an error; or a part
 * without an error.
 */
static int cut_short(struct sim_chip *chip, u32 len, u32 *part)
{
	*part = len;
	if (due(chip, SIM_TORN_PROGRAM)) {
		*part = sim_random_below(&chip->random, len);
		power_off(chip);
		return -EIO;
	}
	if (due(chip, SIM_FAIL_PROGRAM)) {
		*part = sim_random_below(&chip->random, len);
		return program_error(chip);
	}
	if (due(chip, SIM_LOST_PROGRAM))
		*part = 0;
	else if (due(chip, SIM_PARTIAL_PROGRAM))
		*part = sim_random_below(&chip->random, len);
	return 0;
}

/* @len bytes within one write buffer. */
static int program_buffer(struct sim_chip *chip, u32 offset, u32 len,
			  const u8 *data)
{
	const struct sim_config *config = chip->config;
	struct sim_block *block = &chip->blocks[offset / config->erasesize];
	u32 part;
	int err = begin_program(chip);

	if (err)
		return err;
	chip->counters.programs++;
	charge_program(chip, len);
	if (config->type == SIM_NOR) {
		if (!only_clears(chip, offset, len, data))
			return violation(chip);
		may_break(chip, block);
		if (block->broken)
			return program_error(chip);
	} else {
		may_break(chip, block);
		if (wear_out(chip, block, 1))
			return program_error(chip);
	}
	err = cut_short(chip, len, &part);
	memcpy(chip->data + offset, data, part);
	forget_flips(chip, offset, part);
	if (!err)
		chip->counters.bytes_programmed += len;
	return err;
}

/**
 * sim_chip_program() - write to other types than NAND
 * @chip: the chip
 * @offset: first byte
 * @len: bytes, at least 1
 * @data: source
 * @done: bytes written, without the bytes of a buffer that failed
 *
 * Context: any; the caller serialises.
 * Return: 0, -EIO or -ENOMEM.
 */
int sim_chip_program(struct sim_chip *chip, u32 offset, u32 len,
		     const u8 *data, u32 *done)
{
	const struct sim_config *config = chip->config;
	u32 unit = buffer_bytes(config);
	u32 part;
	int err;

	for (*done = 0; *done < len; *done += part) {
		part = min(len - *done, unit - (offset + *done) % unit);
		err = program_buffer(chip, offset + *done, part, data + *done);
		if (err)
			return err;
	}
	return 0;
}

/* Apply the ECC to all steps that contain the bytes. */
static void decode(struct sim_chip *chip, struct sim_page_io *io)
{
	u32 size = min(chip->config->writesize, SIM_ECC_STEP);
	/*
	 * The chip reads and corrects @readsize bytes together, so an error beside the bytes
	 * counts.
	 */
	u32 together = min(chip->config->readsize, chip->config->writesize);
	u32 first = io->page * chip->config->writesize;
	u32 column, begin, end;
	unsigned int flips;

	for (column = round_down(io->column, together);
	     column < round_up(io->column + io->len, together); column += size) {
		begin = max(column, io->column);
		end = min(column + size, io->column + io->len);
		flips = chip->nflips ?
			count_flips(chip, first + column, size) : 0;
		if (!io->raw && flips <= chip->config->ecc) {
			io->corrected += flips;
			io->bitflips = max(io->bitflips, flips);
			continue;
		}
		if (begin < end)
			apply_flips(chip, first + begin, end - begin,
				    io->data + (begin - io->column));
		if (!io->raw)
			io->failed++;
	}
	if (chip->pages[io->page].torn && !io->raw)
		io->failed++;
}

/* Bit flips by knob, for this read only. */
static void pass_by(struct sim_chip *chip, struct sim_page_io *io)
{
	unsigned int ecc = chip->config->ecc;

	bool flip = due(chip, SIM_FLIP);

	if ((due(chip, SIM_CORRECTED) || flip) && !io->raw) {
		io->corrected += ecc;
		io->bitflips = ecc;
	}
	if (due(chip, SIM_ECC_FAIL)) {
		spoil(chip, io->data, min(io->len, SIM_ECC_STEP), ecc + 1);
		if (!io->raw)
			io->failed++;
	}
}

/**
 * sim_chip_read_page() - read from a page of NAND
 * @chip: the chip
 * @io: the operation
 *
 * Context: any; the caller serialises.
 * Return: 0, -EIO, or -EBADMSG with wrong bytes.
 */
int sim_chip_read_page(struct sim_chip *chip, struct sim_page_io *io)
{
	const struct sim_config *config = chip->config;
	struct sim_counters *counters = &chip->counters;
	u32 offset = io->page * config->writesize + io->column;
	int err = begin(chip);

	io->bitflips = 0;
	io->corrected = 0;
	io->failed = 0;
	if (err)
		return err;
	counters->reads++;
	charge_page_read(chip, io->len + (io->oob ? config->oobsize : 0));
	if (due(chip, SIM_FAIL_READ)) {
		counters->read_errors++;
		return -EIO;
	}
	if (io->oob)
		memcpy(io->oob, chip->oob + io->page * config->oobsize,
		       config->oobsize);
	if (!io->len)
		return 0;
	memcpy(io->data, chip->data + offset, io->len);
	counters->bytes_read += io->len;
	decode(chip, io);
	pass_by(chip, io);
	counters->bits_corrected += io->corrected;
	if (!io->failed)
		return 0;
	counters->reads_uncorrectable++;
	return -EBADMSG;
}

/* Mask of the sub-pages that contain the bytes. */
static u8 subpages_of(const struct sim_chip *chip, const struct sim_page_io *io)
{
	u32 size = chip->config->subpage;
	u32 first = io->column / size, end;

	if (!io->len)
		return 0;
	end = (io->column + io->len - 1) / size + 1;
	return (1U << end) - (1U << first);
}

static bool may_program_oob(const struct sim_chip *chip,
			    const struct sim_page_io *io)
{
	const struct sim_config *config = chip->config;
	const u8 *old = chip->oob + io->page * config->oobsize;
	u32 i;

	if (chip->pages[io->page].oob_programs >= SIM_OOB_PROGRAMS)
		return false;
	for (i = 0; i < config->oobsize; i++)
		if (io->oob[i] != 0xff && io->oob[i] & ~old[i])
			return false;
	return true;
}

/* A bad block accepts only its marker, because tools may mark it by hand. */
static bool is_marker(const struct sim_chip *chip, const struct sim_page_io *io)
{
	u32 i;

	if (io->len)
		return false;
	for (i = SIM_MARKER; i < chip->config->oobsize; i++)
		if (io->oob[i] != 0xff)
			return false;
	return true;
}

static bool is_programmed(const struct sim_chip *chip,
			  const struct sim_page_io *io, u32 at)
{
	u32 subpage = (io->column + at) / chip->config->subpage;

	return chip->pages[io->page].subpages & BIT(subpage);
}

/*
 * May programmed bytes be programmed again, without the ECC? The bits that this clears are wrong
 * from then on, because the ECC bytes keep their first value. The table of flips needs room for
 * them.
 */
static bool may_program_over(const struct sim_chip *chip,
			     const struct sim_page_io *io)
{
	u32 offset = io->page * chip->config->writesize + io->column;
	u32 room = SIM_FLIPS_MAX - chip->nflips;
	u32 lost, i;
	u8 old;

	for (i = 0; i < io->len; i++) {
		if (!is_programmed(chip, io, i))
			continue;
		old = cell(chip, offset + i);
		lost = hweight8(old & ~io->data[i]);
		if (io->data[i] & ~old || lost > room)
			return false;
		room -= lost;
	}
	return true;
}

static bool may_program(const struct sim_chip *chip,
			const struct sim_page_io *io)
{
	const struct sim_config *config = chip->config;
	const struct sim_page *page = &chip->pages[io->page];
	u32 in_block = io->page % (config->erasesize / config->writesize);
	u32 block = io->page / (config->erasesize / config->writesize);
	u8 again = page->subpages & subpages_of(chip, io);

	if (chip->blocks[block].bad && !is_marker(chip, io))
		return false;
	if (io->oob && !may_program_oob(chip, io))
		return false;
	if (!io->len)
		return true;
	if (in_block < chip->blocks[block].next)
		return false;
	return !again || (io->raw && may_program_over(chip, io));
}

/* Store the first @part of the bytes, or clear bits of programmed ones. */
static void program_data(struct sim_chip *chip, const struct sim_page_io *io,
			 u32 part)
{
	u32 offset = io->page * chip->config->writesize + io->column;
	u8 lost, bit;
	u32 i;

	if (!(chip->pages[io->page].subpages & subpages_of(chip, io))) {
		memcpy(chip->data + offset, io->data, part);
		return;
	}
	for (i = 0; i < part; i++) {
		if (!is_programmed(chip, io, i)) {
			chip->data[offset + i] = io->data[i];
			continue;
		}
		lost = cell(chip, offset + i) & ~io->data[i];
		for (bit = 1; bit; bit <<= 1)
			if (lost & bit)
				flip_bit(chip, offset + i, bit);
	}
}

/* Store @part of the data, and all out-of-band bytes or none. */
static void program_cells(struct sim_chip *chip, const struct sim_page_io *io,
			  u32 part, bool all)
{
	const struct sim_config *config = chip->config;
	struct sim_page *page = &chip->pages[io->page];
	u32 pages = config->erasesize / config->writesize;
	u8 *oob = chip->oob + io->page * config->oobsize;
	u32 i;

	if (io->len) {
		program_data(chip, io, part);
		page->subpages |= subpages_of(chip, io);
		chip->blocks[io->page / pages].next = io->page % pages;
	}
	page->torn |= !all;
	if (!io->oob || !all)
		return;
	page->oob_programs++;
	for (i = 0; i < config->oobsize; i++)
		oob[i] &= io->oob[i];
}

/**
 * sim_chip_program_page() - write to a page of NAND
 * @chip: the chip
 * @io: the operation; whole sub-pages
 *
 * Context: any; the caller serialises.
 * Return: 0, -EIO or -ENOMEM.
 */
int sim_chip_program_page(struct sim_chip *chip, struct sim_page_io *io)
{
	const struct sim_config *config = chip->config;
	u32 block = io->page / (config->erasesize / config->writesize);
	u32 part;
	int err = begin_program(chip);

	if (err)
		return err;
	chip->counters.programs++;
	charge_program(chip, io->len + (io->oob ? config->oobsize : 0));
	if (!may_program(chip, io))
		return violation(chip);
	may_break(chip, &chip->blocks[block]);
	if (chip->blocks[block].broken)
		return program_error(chip);
	err = cut_short(chip, io->len ?: config->oobsize, &part);
	program_cells(chip, io, part, !err);
	if (!err)
		chip->counters.bytes_programmed += io->len;
	return err;
}

/* A torn erase leaves neither the old bytes nor 0xff. */
static void tear_block(struct sim_chip *chip, u32 block)
{
	const struct sim_config *config = chip->config;
	u32 pages = config->erasesize / config->writesize;
	u32 part = sim_random_below(&chip->random, config->erasesize);
	u32 i;

	memset(chip->data + block * config->erasesize, 0xff, part);
	for (i = 0; chip->pages && i < pages; i++)
		chip->pages[block * pages + i].torn = true;
	if (chip->pages)
		chip->blocks[block].next = pages;
	power_off(chip);
}

static void erase_cells(struct sim_chip *chip, u32 block)
{
	const struct sim_config *config = chip->config;
	u32 pages = config->erasesize / config->writesize;
	u32 offset = block * config->erasesize;

	memset(chip->data + offset, 0xff, config->erasesize);
	forget_flips(chip, offset, config->erasesize);
	if (!chip->pages)
		return;
	memset(chip->oob + block * pages * config->oobsize, 0xff,
	       pages * config->oobsize);
	memset(&chip->pages[block * pages], 0, pages * sizeof(*chip->pages));
	chip->blocks[block].next = 0;
}

/**
 * sim_chip_erase() - erase a block
 * @chip: the chip
 * @block: its number
 *
 * Context: any; the caller serialises.
 * Return: 0 or -EIO.
 */
int sim_chip_erase(struct sim_chip *chip, u32 block)
{
	int err = begin(chip);

	if (err)
		return err;
	chip->counters.erases++;
	charge_erase(chip);
	if (chip->blocks[block].bad)
		return violation(chip);
	may_break(chip, &chip->blocks[block]);
	if (wear_out(chip, &chip->blocks[block], erase_wear(chip->config)))
		return erase_error(chip);
	if (due(chip, SIM_TORN_ERASE)) {
		tear_block(chip, block);
		return -EIO;
	}
	if (due(chip, SIM_FAIL_ERASE))
		return erase_error(chip);
	if (!due(chip, SIM_LOST_ERASE))
		erase_cells(chip, block);
	chip->counters.bytes_erased += chip->config->erasesize;
	return 0;
}

/**
 * sim_chip_mark_bad() - mark a block of NAND bad
 * @chip: the chip
 * @block: its number
 *
 * The marker can be programmed over any data, because it only clears bits.
 *
 * Context: any; the caller serialises.
 * Return: 0 or -EIO.
 */
int sim_chip_mark_bad(struct sim_chip *chip, u32 block)
{
	const struct sim_config *config = chip->config;
	u32 pages = config->erasesize / config->writesize;

	if (chip->off) {
		chip->counters.refused_off++;
		return -EIO;
	}
	chip->blocks[block].bad = true;
	memset(chip->oob + block * pages * config->oobsize, 0, SIM_MARKER);
	return 0;
}

/**
 * sim_chip_flip() - make bits wrong until an erase or a write
 * @chip: the chip
 * @offset: first byte
 * @bits: number of bits, one in each byte
 *
 * Context: any; the caller serialises.
 * Return: 0, -EINVAL beyond the end, -ENOSPC if the table of flips is full.
 */
int sim_chip_flip(struct sim_chip *chip, u32 offset, u32 bits)
{
	u32 i;

	if (offset >= chip->config->size || bits > chip->config->size - offset)
		return -EINVAL;
	if (bits > SIM_FLIPS_MAX - chip->nflips)
		return -ENOSPC;
	for (i = 0; i < bits; i++)
		flip_bit(chip, offset + i, 1);
	return 0;
}
