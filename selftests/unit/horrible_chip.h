/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A slow and simple model of mtdsim's medium. It follows the rules of
 * Documentation/develop/mtdsim.rst byte by byte.
 *
 * The model draws no random numbers. For random faults and the extent of a torn operation it takes
 * the result from the chip, and checks that the rules allow it. So the chip does each operation
 * first.
 */
#ifndef HORRIBLE_CHIP_H
#define HORRIBLE_CHIP_H

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/minmax.h>

#include "harness.h"
#include "../mtdsim/chip.h"

/* The model fills a read buffer with this; a failed read leaves it there. */
#define POISON		0xa5

struct model_fault {
	enum sim_fault_mode mode;
	u32 n;
	u32 count;		/* operations since it was set */
	u32 hits;
};

static struct {
	const struct sim_config *config;
	u8 *data;		/* bytes stored in the cells */
	u8 *wrong;		/* mask of the bits of @data that are wrong */
	u8 *stored;		/* for each byte (NAND): it is programmed */
	u8 *oob;
	u8 *oob_times;		/* for each page: programs of its out-of-band bytes */
	u8 *torn;		/* for each page: beyond correction */
	u8 *half;		/* for each block: an erase was torn */
	u8 *bad;
	u8 *broken;
	u64 *wear;
	u8 *new_data;		/* expected contents after this operation */
	u8 *new_wrong;
	struct model_fault faults[SIM_FAULTS];
	struct sim_counters counters;
	bool off;
	/* State of the chip after the operation. */
	u8 *chip_data;
	u8 *chip_wrong;
	bool hit[SIM_FAULTS];	/* faults that the chip injected in this operation */
	bool last;		/* the last part of a multi-part operation */
} model;

static inline u32 model_page_bytes(void)
{
	return model.config->writesize;
}

static inline u32 model_block_pages(void)
{
	return model.config->erasesize / model.config->writesize;
}

static inline u32 model_unit(void)
{
	u32 unit = model.config->times.program_unit;

	return unit && unit < model.config->erasesize ? unit : model.config->erasesize;
}

static inline void model_mark_bad(u32 block)
{
	model.bad[block] = 1;
	memset(model.oob + (u64)block * model_block_pages() * model.config->oobsize, 0, 2);
}

/* @data: the chip's initial contents */
static inline void model_create(const struct sim_config *config, u8 *data)
{
	u32 blocks = config->size / config->erasesize;
	u32 pages = config->size / config->writesize, i;

	memset(&model, 0, sizeof(model));
	model.config = config;
	model.data = test_alloc(config->size);
	model.wrong = test_alloc(config->size);
	model.stored = test_alloc(config->size);
	model.oob = test_alloc((size_t)pages * config->oobsize);
	model.oob_times = test_alloc(pages);
	model.torn = test_alloc(pages);
	model.half = test_alloc(blocks);
	model.bad = test_alloc(blocks);
	model.broken = test_alloc(blocks);
	model.wear = test_alloc(blocks * sizeof(*model.wear));
	model.new_data = test_alloc(config->size);
	model.new_wrong = test_alloc(config->size);
	model.chip_wrong = test_alloc(config->size);
	model.chip_data = data;
	memset(model.data, 0xff, config->size);
	memset(model.oob, 0xff, (size_t)pages * config->oobsize);
	for (i = 0; i < config->nbad; i++) {
		model.broken[config->bad[i]] = 1;
		model_mark_bad(config->bad[i]);
	}
}

static inline void model_destroy(void)
{
	free(model.data);
	free(model.wrong);
	free(model.stored);
	free(model.oob);
	free(model.oob_times);
	free(model.torn);
	free(model.half);
	free(model.bad);
	free(model.broken);
	free(model.wear);
	free(model.new_data);
	free(model.new_wrong);
	free(model.chip_wrong);
}

static inline bool model_due(enum sim_fault_kind kind)
{
	struct model_fault *fault = &model.faults[kind];
	bool due = false;

	fault->count++;
	if (fault->mode == SIM_FAULT_ONCE)
		due = fault->count == fault->n;
	else if (fault->mode == SIM_FAULT_EVERY)
		due = fault->count % fault->n == 0;
	else if (fault->mode == SIM_FAULT_RANDOM)
		due = model.hit[kind] && model.last;
	fault->hits += due;
	return due;
}

static inline int model_power_off(void)
{
	model.off = true;
	model.counters.power_cuts++;
	return -EIO;
}

static inline int model_begin(void)
{
	if (model.off) {
		model.counters.refused_off++;
		return -EIO;
	}
	return model_due(SIM_POWER_CUT) ? model_power_off() : 0;
}

static inline int model_fail(u64 *counter)
{
	(*counter)++;
	return -EIO;
}

/* Count the bytes and the time of the bus cycles. */
static inline void model_charge(u32 len, u32 ns, u32 cycle_ns)
{
	u32 bus = model.config->times.bus_bytes, sent;

	if (!bus)
		return;
	model.counters.ns += ns;
	for (sent = 0; sent < len; sent += bus)
		model.counters.ns += cycle_ns;
}

static inline u8 model_byte(u32 offset)
{
	return model.data[offset] ^ model.wrong[offset];
}

static inline u32 model_wrong_bits(u32 offset, u32 len)
{
	u32 bits = 0;

	while (len--)
		bits += hweight8(model.wrong[offset++]);
	return bits;
}

/*
 * Number of bytes that the chip has stored: all bytes before must be new, all bytes from there on
 * must be old. A byte that did not change counts as either.
 */
static inline u32 model_part(u32 offset, u32 len)
{
	const u8 *data = model.chip_data + offset, *wrong = model.chip_wrong + offset;
	u32 new = 0, old = len;

	while (new < len && data[new] == model.new_data[new] && wrong[new] == model.new_wrong[new])
		new++;
	while (old && data[old - 1] == model.data[offset + old - 1] &&
	       wrong[old - 1] == model.wrong[offset + old - 1])
		old--;
	expect(old <= new && old < len);
	return new;
}

static inline void model_store(u32 offset, u32 len, bool all)
{
	u32 part = all ? len : model_part(offset, len);

	memcpy(model.data + offset, model.new_data, part);
	memcpy(model.wrong + offset, model.new_wrong, part);
}

/*
 * Count the bits that differ between @got and @want. A fault flips at most one bit of a byte, and
 * two faults may hit the same byte.
 */
static inline u32 model_differing(const u8 *got, const u8 *want, u32 len)
{
	u32 n = 0, i;

	for (i = 0; i < len; i++) {
		expect(hweight8(got[i] ^ want[i]) <= 2);
		n += hweight8(got[i] ^ want[i]);
	}
	return n;
}

static inline int model_begin_program(void)
{
	int err = model_begin();

	if (!err && model_due(SIM_NO_MEMORY))
		err = -ENOMEM;
	return err;
}

static inline int model_read(u32 offset, u32 len, const u8 *got)
{
	const struct sim_times *times = &model.config->times;
	u32 i, differing, flip, fail;
	bool corrected;
	int err = model_begin();

	if (err)
		return err;
	model.counters.reads++;
	model_charge(len, 0, times->read_cycle_ns);
	for (i = 0; times->bus_bytes && i < len; i++)
		if (!i || (offset + i) % times->read_unit == 0)
			model.counters.ns += times->read_ns;
	if (model_due(SIM_FAIL_READ))
		return model_fail(&model.counters.read_errors);
	model.counters.bytes_read += len;
	for (i = 0; i < len; i++)
		model.new_data[i] = model_byte(offset + i);
	differing = model_differing(got, model.new_data, len);
	flip = model_due(SIM_FLIP);
	fail = model_due(SIM_ECC_FAIL);
	/* Both faults may flip the same bit, and so cancel each other. */
	expect(differing == flip + fail || (flip && fail && !differing));
	model.counters.reads_uncorrectable += fail;
	if (fail)
		return -EBADMSG;
	corrected = model_due(SIM_CORRECTED);
	model.counters.bits_corrected += corrected;
	return corrected ? -EUCLEAN : 0;
}

/* @all: set if the whole operation was done */
static inline int model_cut_short(bool *all)
{
	*all = false;
	if (model_due(SIM_TORN_PROGRAM))
		return model_power_off();
	if (model_due(SIM_FAIL_PROGRAM))
		return model_fail(&model.counters.program_errors);
	*all = !model_due(SIM_LOST_PROGRAM) && !model_due(SIM_PARTIAL_PROGRAM);
	return 0;
}

static inline bool model_breaks(u32 block)
{
	model.broken[block] |= model_due(SIM_BREAK);
	return model.broken[block];
}

/* Count the wear. Return: false if the block is broken. */
static inline bool model_wear(u32 block, u32 writes)
{
	u32 endurance = model.config->endurance;

	if (model_breaks(block))
		return false;
	if (endurance && model.wear[block] >= endurance)
		model.broken[block] = 1;
	if (model.broken[block])
		return false;
	model.wear[block] += writes;
	return true;
}

static inline int model_program_buffer(u32 offset, u32 len, const u8 *data)
{
	const struct sim_times *times = &model.config->times;
	u32 block = offset / model.config->erasesize, i;
	int err = model_begin_program();
	bool all;

	if (err)
		return err;
	model.counters.programs++;
	model_charge(len, times->program_ns, times->write_cycle_ns);
	for (i = 0; model.config->type == SIM_NOR && i < len; i++)
		if (data[i] & ~model_byte(offset + i))
			return model_fail(&model.counters.violations);
	if (model.config->type == SIM_NOR ? model_breaks(block) : !model_wear(block, 1))
		return model_fail(&model.counters.program_errors);
	err = model_cut_short(&all);
	memcpy(model.new_data, data, len);
	memset(model.new_wrong, 0, len);
	model_store(offset, len, all);
	if (!err)
		model.counters.bytes_programmed += len;
	return err;
}

/* @done: number of bytes that the chip has stored */
static inline int model_program(u32 offset, u32 len, const u8 *data, u32 done)
{
	u32 at = 0, part;
	int err = 0;

	while (at < len) {
		part = 1;
		while (at + part < len && (offset + at + part) % model_unit())
			part++;
		model.last = at == done;
		err = model_program_buffer(offset + at, part, data + at);
		if (err)
			break;
		at += part;
	}
	model.last = true;
	expect_eq(done, at);
	return err;
}

/* Decode each ECC step of the read. */
static inline void model_decode(const struct sim_page_io *io, struct sim_page_io *want)
{
	u32 first = io->page * model_page_bytes(), step = min(512U, model_page_bytes());
	u32 i, at, bits;

	for (at = 0; at < model_page_bytes(); at += step) {
		if ((at + step <= io->column || at >= io->column + io->len) &&
		    model.config->readsize <= step)
			continue;
		bits = model_wrong_bits(first + at, step);
		for (i = max(at, io->column); i < min(at + step, io->column + io->len); i++)
			want->data[i - io->column] = io->raw || bits > model.config->ecc ?
				model_byte(first + i) : model.data[first + i];
		if (io->raw)
			continue;
		if (bits > model.config->ecc) {
			want->failed++;
		} else {
			want->corrected += bits;
			want->bitflips = max(want->bitflips, bits);
		}
	}
	want->failed += model.torn[io->page] && !io->raw;
}

/* @io: the chip's result */
static inline int model_read_page(const struct sim_page_io *io)
{
	u32 oobsize = model.config->oobsize, ecc = model.config->ecc, spoilt = 0;
	struct sim_page_io want = { .data = model.new_data };
	const struct sim_times *times = &model.config->times;
	int err = model_begin();
	bool corrected;

	if (!err) {
		model.counters.reads++;
		model_charge(io->len + (io->oob ? oobsize : 0), times->read_ns,
			     times->read_cycle_ns);
		if (model_due(SIM_FAIL_READ))
			err = model_fail(&model.counters.read_errors);
	}
	if (!err && io->oob)
		expect(!memcmp(io->oob, model.oob + (u64)io->page * oobsize, oobsize));
	if (!err && io->len) {
		model.counters.bytes_read += io->len;
		model_decode(io, &want);
		corrected = model_due(SIM_FLIP);
		corrected |= model_due(SIM_CORRECTED);
		if (corrected && !io->raw) {
			want.corrected += ecc;
			want.bitflips = ecc;
		}
		if (model_due(SIM_ECC_FAIL)) {
			spoilt = min(ecc + 1, min(io->len, 512U));
			want.failed += !io->raw;
		}
		expect_eq(model_differing(io->data, want.data, io->len), spoilt);
	}
	expect_eq(io->bitflips, want.bitflips);
	expect_eq(io->corrected, want.corrected);
	expect_eq(io->failed, want.failed);
	model.counters.bits_corrected += want.corrected;
	model.counters.reads_uncorrectable += !!want.failed;
	return !err && want.failed ? -EBADMSG : err;
}

static inline bool model_may_program_oob(const struct sim_page_io *io)
{
	u32 oobsize = model.config->oobsize, i;

	for (i = 0; i < oobsize; i++)
		if (io->oob[i] != 0xff && io->oob[i] & ~model.oob[io->page * oobsize + i])
			return false;
	return model.oob_times[io->page] < 4;
}

static inline bool model_may_program_data(const struct sim_page_io *io)
{
	u32 block = io->page / model_block_pages(), bytes = model_page_bytes();
	u32 offset = io->page * bytes + io->column, lost = 0, i;

	if (model.half[block])
		return false;
	for (i = (io->page + 1) * bytes; i < (block + 1) * model.config->erasesize; i++)
		if (model.stored[i])
			return false;
	for (i = 0; i < io->len; i++) {
		if (!model.stored[offset + i])
			continue;
		if (!io->raw || io->data[i] & ~model_byte(offset + i))
			return false;
		lost += hweight8(model_byte(offset + i) & ~io->data[i]);
	}
	return !lost || lost + model_wrong_bits(0, model.config->size) <= SIM_FLIPS_MAX;
}

static inline bool model_may_program(const struct sim_page_io *io)
{
	u32 i;

	if (model.bad[io->page / model_block_pages()]) {
		if (io->len)
			return false;
		for (i = 2; i < model.config->oobsize; i++)
			if (io->oob[i] != 0xff)
				return false;
	}
	return (!io->oob || model_may_program_oob(io)) &&
		(!io->len || model_may_program_data(io));
}

/* A program over old data keeps them; bits that it can't set become wrong. */
static inline void model_program_data(const struct sim_page_io *io, bool all)
{
	u32 offset = io->page * model_page_bytes() + io->column, i;

	for (i = 0; i < io->len; i++) {
		u32 at = offset + i;
		bool over = model.stored[at];

		model.new_data[i] = over ? model.data[at] : io->data[i];
		model.new_wrong[i] = model.wrong[at];
		if (over)
			model.new_wrong[i] ^= model_byte(at) & ~io->data[i];
	}
	if (io->len)
		model_store(offset, io->len, all);
	memset(model.stored + offset, 1, io->len);
}

static inline int model_program_page(const struct sim_page_io *io)
{
	u32 oobsize = model.config->oobsize, i;
	const struct sim_times *times = &model.config->times;
	int err = model_begin_program();
	bool all;

	if (err)
		return err;
	model.counters.programs++;
	model_charge(io->len + (io->oob ? oobsize : 0), times->program_ns, times->write_cycle_ns);
	if (!model_may_program(io))
		return model_fail(&model.counters.violations);
	if (model_breaks(io->page / model_block_pages()))
		return model_fail(&model.counters.program_errors);
	err = model_cut_short(&all);
	model_program_data(io, all);
	if (err) {
		model.torn[io->page] = 1;
		return err;
	}
	for (i = 0; io->oob && i < oobsize; i++)
		model.oob[io->page * oobsize + i] &= io->oob[i];
	model.oob_times[io->page] += !!io->oob;
	model.counters.bytes_programmed += io->len;
	return 0;
}

static inline int model_erase(u32 block)
{
	const struct sim_config *config = model.config;
	u32 size = config->erasesize, offset = block * size;
	u32 pages = model_block_pages(), page = block * pages;
	bool flash = config->type == SIM_NOR || config->type == SIM_NAND;
	bool torn;
	int err = model_begin();

	if (err)
		return err;
	model.counters.erases++;
	if (config->times.erase_unit)
		model.counters.ns += (u64)config->times.erase_ns *
			DIV_ROUND_UP(size, config->times.erase_unit);
	else if (config->times.bus_bytes)
		model.counters.ns += (u64)config->times.program_ns * (size / model_unit());
	if (model.bad[block])
		return model_fail(&model.counters.violations);
	if (!model_wear(block, flash ? 1 : size / model_unit()))
		return model_fail(&model.counters.erase_errors);
	torn = model_due(SIM_TORN_ERASE);
	if (!torn && model_due(SIM_FAIL_ERASE))
		return model_fail(&model.counters.erase_errors);
	if (!torn && model_due(SIM_LOST_ERASE)) {
		model.counters.bytes_erased += size;
		return 0;
	}
	/* A torn erase keeps the wrong bits. */
	memset(model.new_data, 0xff, size);
	memcpy(model.new_wrong, model.wrong + offset, size);
	if (!torn)
		memset(model.new_wrong, 0, size);
	model_store(offset, size, !torn);
	memset(model.torn + page, torn, pages);
	model.half[block] = torn;
	if (torn)
		return model_power_off();
	memset(model.stored + offset, 0, size);
	memset(model.oob_times + page, 0, pages);
	memset(model.oob + (u64)page * config->oobsize, 0xff, (size_t)pages * config->oobsize);
	model.counters.bytes_erased += size;
	return 0;
}

static inline int model_flip(u32 offset, u32 bits)
{
	u32 i;

	if (offset >= model.config->size || bits > model.config->size - offset)
		return -EINVAL;
	if (bits + model_wrong_bits(0, model.config->size) > SIM_FLIPS_MAX)
		return -ENOSPC;
	for (i = 0; i < bits; i++)
		model.wrong[offset + i] ^= 1;
	return 0;
}

#endif /* HORRIBLE_CHIP_H */
