/* SPDX-License-Identifier: GPL-2.0 */
/* MTDs below the device, and the list that the MTD core keeps of them. */
#ifndef FUZZ_MTDCORE_H
#define FUZZ_MTDCORE_H

#include <linux/mtd/mtd.h>

enum chip_kind { CHIP_RAM, CHIP_NOR, CHIP_NAND };

enum chip_op { CHIP_READ = 1, CHIP_WRITE = 2, CHIP_ERASE = 4 };

/* Kinds of failures. */
enum chip_fault {
	FAULT_ERROR,		/* an error; any part may have been done */
	FAULT_SHORT,		/* less is done, without an error */
	FAULT_LIE,		/* nothing is done, without an error */
	FAULT_WRONG,		/* a bit is wrong */
	FAULT_BITFLIP,		/* corrected bit flips are reported */
	FAULTS,
	FAULT_POWER = FAULTS	/* the operation is torn, then all fail until the power is back */
};

#define CHIP_DOUBTFUL	2

/**
 * struct chip - a medium
 * @mtd: the MTD in the core
 * @kind: rules of rewriting and programming
 * @data: the bytes
 * @programmed: flash, for each byte: programmed since its erase
 * @bad: flash, for each block: marked bad
 * @failed: flash, for each block: an operation of it has ever failed
 * @erases: flash, for each block: number of successful erases
 * @programmed_bytes: bytes of successful programs
 * @group: number of blocks that form one block of the driver
 * @ops: kinds of operations that fail
 * @fault: how they fail
 * @err: error that they return
 * @after: number of operations before the first failure
 * @times: number of failures
 * @noise: state of the random numbers for torn operations
 * @hits: failures so far
 * @blame: failures so far that a power cut did not cause
 * @off: the power is off
 * @outage: number of programs and erases that failed since the power went off
 * @doubtful: blocks of the first of these that had not failed before
 * @ndoubtful: number of @doubtful
 * @lied: FAULT_LIE happened, so double programs are no violation any more
 * @spoilt: a read may have returned, or a program stored, wrong data
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
