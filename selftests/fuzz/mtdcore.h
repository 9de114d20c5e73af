/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MTDs to put a device on, and the MTD core that knows them.
 */
#ifndef FUZZ_MTDCORE_H
#define FUZZ_MTDCORE_H

#include <linux/mtd/mtd.h>

enum chip_kind { CHIP_RAM, CHIP_NOR, CHIP_NAND };

enum chip_op { CHIP_READ = 1, CHIP_WRITE = 2, CHIP_ERASE = 4 };

/* How an operation fails. */
enum chip_fault {
	FAULT_ERROR,		/* by an error; anything may have been done */
	FAULT_SHORT,		/* less than asked for is done, and no error */
	FAULT_LIE,		/* nothing is done, and it says that all was */
	FAULT_WRONG,		/* a bit is wrong */
	FAULT_BITFLIP,		/* it is said to have been corrected */
	FAULTS,
	FAULT_POWER = FAULTS	/* it is torn, and nothing works until the power is back */
};

#define CHIP_DOUBTFUL	2

/**
 * struct chip - a medium
 * @mtd: as the core knows it
 * @kind: may it be rewritten, or in which order is it programmed
 * @data: the bytes
 * @programmed: for flash, for each byte: since it was erased
 * @bad: for flash, for each block: is it marked
 * @failed: for flash, for each block: has it ever failed
 * @erases: for flash, for each block: how often it has been erased, as far as it says
 * @programmed_bytes: what has been programmed, as far as it says
 * @group: blocks that are one to the driver above
 * @ops: the operations that fail,
 * @fault: in this way,
 * @err: with this error,
 * @after: but for the next so many,
 * @times: so often
 * @noise: what an operation leaves that fails
 * @hits: operations that have failed
 * @blame: those that were not for want of power
 * @off: the power is
 * @outage: programs and erases that have failed since it went
 * @doubtful: the blocks of the first of them, none of which had failed before
 * @ndoubtful: so many
 * @lied: nothing that is programmed twice means anything any more
 * @spoilt: right data may have been read as wrong ones, or not been stored
 */
struct chip {
	struct mtd_info mtd;
	enum chip_kind kind;
	u8 *data;
	u8 *programmed;
	u8 *bad;
	u8 *failed;
	u32 *erases;
	u64 programmed_bytes;
	u32 group;
	u8 ops;
	enum chip_fault fault;
	int err;
	u32 after;
	u32 times;
	u32 noise;
	u32 hits;
	u32 blame;
	bool off;
	u32 outage;
	u32 doubtful[CHIP_DOUBTFUL];
	u32 ndoubtful;
	bool lied;
	bool spoilt;
};

void chip_create(struct chip *chip, const char *name, enum chip_kind kind, u32 bytes,
		 u32 block_bytes, u32 write_bytes);
void chip_destroy(struct chip *chip);

void mtdcore_add(struct mtd_info *mtd);
void mtdcore_remove(struct mtd_info *mtd);
struct mtd_info *mtdcore_find(const char *name);
unsigned int mtdcore_count(void);
int mtdcore_open(struct mtd_info *mtd);
void mtdcore_close(struct mtd_info *mtd);
void mtdcore_reset(void);

#endif /* FUZZ_MTDCORE_H */
