/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A slow and simple flash memory behind the functions of lower.h.
 *
 * It counts as a violation, and fails, each operation that real flash does not allow: a program of
 * a byte that is not erased, NAND pages programmed out of order or in part, an erase of a part of
 * an eraseblock, and any access to a bad block.
 *
 * It injects faults: operations by their number, for any number of operations; blocks that fail
 * erases or programs for good; data that the ECC can't correct. A failed operation changes the
 * media: an erase erases nothing, all or half of the block, a program stores any part of the data,
 * a read fills the buffer with random bytes.
 */
#ifndef HORRIBLE_FLASH_H
#define HORRIBLE_FLASH_H

#include <errno.h>

#include "harness.h"
#include "known.h"
#include "lower.h"

#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/mtd/mtd.h>

/* The clock of the test program, see jiffies.h. */
unsigned long shim_jiffies;

enum flash_op {
	FLASH_READ = 1,
	FLASH_PROGRAM = 2,
	FLASH_ERASE = 4,
	FLASH_ANY = 7,
};

struct flash_kind {
	const char *name;
	u32 blocks;
	u32 block_bytes;
	u32 write_bytes;
	bool nand;
};

static struct {
	const struct flash_kind *kind;
	u8 *bytes;
	u8 *programmed;		/* for each byte: programmed since its erase */
	u8 *rotten;		/* for each byte: the ECC can't correct it */
	u8 *bad;		/* for each block: marked */
	u8 *worn;		/* for each block: mask of operations that fail with @worn_err */
	u8 *failed;		/* for each block: has failed, so it may be marked */
	bool blame_any;		/* any error excuses a mark, not only -EIO */
	/* Operations of @fail_ops with numbers from @from to @until fail with @err. */
	u64 from, until;
	enum flash_op fail_ops;
	int err;
	int worn_err;
	u32 locked;		/* number of the locked block, or U32_MAX */
	u32 erase_ticks;	/* duration of an erase in ticks */
	bool dead;		/* all operations fail; excuses no mark */
	bool calm;		/* the test only looks: count nothing, let nothing fail */
	u64 op;			/* number of operations so far */
	u64 read_bytes, erases, programs, programmed_bytes, marks, unmarkable;
	u64 faults;		/* operations made to fail */
	/* Called for a read with an ECC error, which has filled the buffer with random bytes. */
	void (*rubbish)(u64 offset, u32 bytes);
	u64 violations;
	struct mutex lock;	/* lock that the owner of a hold needs */
	struct mtd_info mtd;
	struct mtdc_lower lower;
} flash;

static inline void flash_violation(const char *what, u64 offset)
{
	flash.violations++;
	tap_note("flash: %s at %#llx, operation %llu", what, offset, flash.op);
}

static inline u64 flash_size(void)
{
	return (u64)flash.kind->blocks * flash.kind->block_bytes;
}

/* Creates flash with old random data; a block needs an erase before it can be programmed. */
static inline void flash_create(const struct flash_kind *kind)
{
	u64 size, i;

	memset(&flash, 0, sizeof(flash));
	flash.kind = kind;
	size = flash_size();
	flash.bytes = test_alloc(size);
	flash.programmed = test_alloc(size);
	flash.rotten = test_alloc(size);
	flash.bad = test_alloc(kind->blocks);
	flash.worn = test_alloc(kind->blocks);
	flash.worn_err = -EIO;
	flash.locked = U32_MAX;
	flash.failed = test_alloc(kind->blocks);
	for (i = 0; i < size; i++)
		flash.bytes[i] = random_u64();
	memset(flash.programmed, 1, size);
	flash.lower.mtd = &flash.mtd;
	flash.lower.lock = &flash.lock;
	flash.lock.held = true;
}

static inline void flash_destroy(void)
{
	expect_eq(flash.violations, 0);
	free(flash.bytes);
	free(flash.programmed);
	free(flash.rotten);
	free(flash.bad);
	free(flash.worn);
	free(flash.failed);
}

/* Let @n operations of the kinds @ops fail, after the next @after operations. */
static inline void flash_fail(enum flash_op ops, u64 after, u64 n, int err)
{
	flash.fail_ops = ops;
	flash.from = flash.op + after;
	flash.until = flash.from + n;
	flash.err = err;
}

static inline void flash_heal(void)
{
	flash.from = 0;
	flash.until = 0;
	flash.dead = false;
}

/* Count the operation; return its error if it shall fail. */
static inline int flash_begin(const struct mtdc_lower *lower, enum flash_op op, u32 block)
{
	u64 number = flash.op++;
	int err = 0;

	expect(lower == &flash.lower);
	if (flash.dead)
		err = -EIO;
	else if (flash.fail_ops & op && number >= flash.from && number < flash.until)
		err = flash.err;
	else if (flash.worn[block] & op)
		err = flash.worn_err;
	if (err)
		flash.faults++;
	if ((err == -EIO || (err && flash.blame_any)) && !flash.dead && op != FLASH_READ)
		flash.failed[block] = 1;
	return err;
}

/* A read of NAND gives a whole write unit or nothing. */
static inline bool flash_rotten(u64 offset, u32 bytes)
{
	u32 before = flash.kind->nand ? offset % flash.kind->write_bytes : 0;

	bytes += before;
	if (flash.kind->nand)
		bytes = roundup(bytes, flash.kind->write_bytes);
	return memchr(flash.rotten + offset - before, 1, bytes);
}

int mtdc_lower_read(struct mtdc_lower *lower, u64 offset, void *to, u32 bytes,
		    bool *flips)
{
	u32 i;
	int err;

	(void)flips;	/* horrible_log.h makes its own bit flips */
	if (offset + bytes > flash_size() || !bytes) {
		flash_violation("read outside", offset);
		return -EINVAL;
	}
	memcpy(to, flash.bytes + offset, bytes);
	flash.read_bytes += bytes;
	if (flash.calm)
		return 0;
	err = flash_begin(lower, FLASH_READ, offset / flash.kind->block_bytes);
	if (err) {
		memset(to, (u8)random_u64(), bytes);
		if (err == -EBADMSG && flash.rubbish)
			flash.rubbish(offset, bytes);
		return err;
	}
	if (!flash_rotten(offset, bytes))
		return 0;
	for (i = 0; i < bytes; i++)
		if (flash.rotten[offset + i])
			((u8 *)to)[i] ^= 1 << random_below(8);
	return -EBADMSG;
}

static inline bool flash_may_program(u64 to, u32 bytes)
{
	const struct flash_kind *kind = flash.kind;
	u32 in = to % kind->block_bytes;
	const char *why = NULL;

	if (!bytes || to + bytes > flash_size() || in + bytes > kind->block_bytes)
		why = "program outside of a block";
	else if (to % kind->write_bytes || bytes % kind->write_bytes)
		why = "program of part of a write unit";
	else if (flash.bad[to / kind->block_bytes])
		why = "program of a bad block";
	else if (memchr(flash.programmed + to, 1, bytes))
		why = "program without erase";
	else if (kind->nand && memchr(flash.programmed + to + bytes, 1,
				      kind->block_bytes - in - bytes))
		why = "program out of order";
	if (why)
		flash_violation(why, to);
	return !why;
}

int mtdc_lower_write(struct mtdc_lower *lower, u64 offset, const void *from, u32 bytes)
{
	u32 done = bytes, i;
	int err;

	if (!flash_may_program(offset, bytes))
		return -EIO;
	must_be_known(from, bytes);
	flash.programs++;
	flash.programmed_bytes += bytes;
	err = flash_begin(lower, FLASH_PROGRAM, offset / flash.kind->block_bytes);
	if (err)
		done = random_below(bytes + 1);
	memcpy(flash.bytes + offset, from, done);
	for (i = done; i < bytes; i++)
		flash.bytes[offset + i] &= random_u64();
	if (err && random_below(2))
		memset(flash.rotten + offset + done, 1, bytes - done);
	memset(flash.programmed + offset, 1, bytes);
	return err;
}

int mtdc_lower_erase(struct mtdc_lower *lower, u64 offset, u32 bytes)
{
	u32 block = offset / flash.kind->block_bytes, i;
	int err;

	if (offset % flash.kind->block_bytes || bytes != flash.kind->block_bytes ||
	    offset + bytes > flash_size()) {
		flash_violation("erase of something else than a block", offset);
		return -EINVAL;
	}
	if (flash.bad[block]) {
		flash_violation("erase of a bad block", offset);
		return -EIO;
	}
	flash.erases++;
	jiffies += flash.erase_ticks;
	err = flash_begin(lower, FLASH_ERASE, block);
	if (err) {
		/* Nothing, a part, or all. */
		for (i = random_below(3) * bytes / 2; i; i--)
			flash.bytes[offset + i - 1] |= random_u64();
		memset(flash.programmed + offset, 1, bytes);
		return err;
	}
	memset(flash.bytes + offset, 0xff, bytes);
	memset(flash.programmed + offset, 0, bytes);
	memset(flash.rotten + offset, 0, bytes);
	return 0;
}

int mtdc_lower_is_bad(struct mtdc_lower *lower, u64 offset)
{
	u32 block = offset / flash.kind->block_bytes;
	int err = flash_begin(lower, FLASH_READ, block);

	return err ? err : flash.bad[block];
}

bool mtdc_lower_is_locked(const struct mtdc_lower *lower, u64 offset, u64 bytes)
{
	expect(lower == &flash.lower);
	expect_eq(bytes, flash.kind->block_bytes);
	return offset / bytes == flash.locked;
}

void mtdc_lower_mark_bad(struct mtdc_lower *lower, u64 offset)
{
	u32 block = offset / flash.kind->block_bytes;

	expect(lower == &flash.lower);
	if (offset % flash.kind->block_bytes)
		flash_violation("mark that is not at the start of a block", offset);
	if (flash.dead || !flash.failed[block])
		flash_violation("a good block is marked bad", offset);
	flash.marks++;
	/* A mark that fails is not reported. */
	if (random_below(4))
		flash.bad[block] = 1;
	else
		flash.unmarkable++;
}

#endif /* HORRIBLE_FLASH_H */
