/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the cells of the media do.
 */
#ifndef SIM_CHIP_H
#define SIM_CHIP_H

#include <linux/types.h>

#include "config.h"
#include "fault.h"

#define SIM_FLIPS_MAX		1024	/* bits that are wrong at a time */
#define SIM_OOB_PROGRAMS	4	/* of a page between erases */

/**
 * struct sim_counters - what happened, since the device was made
 * @reads: read operations: of a page (NAND), or of any length
 * @programs: program operations: of a page (NAND), or of a write buffer
 * @erases: erases of a block
 * @bytes_read: bytes of successful reads, without out-of-band bytes
 * @bytes_programmed: the same of programs
 * @bytes_erased: the same of erases
 * @violations: operations refused because the medium does not allow them: what
 *	its cells can't do, and any use of a block that is marked bad but to read it
 * @read_errors: reads that failed, but not for the ECC
 * @program_errors: programs that failed
 * @erase_errors: erases that failed
 * @bits_corrected: wrong bits that were corrected
 * @reads_uncorrectable: reads with more wrong bits than can be corrected
 * @power_cuts: how often the power went
 * @refused_off: operations refused while it was off
 * @ns: time that all of it takes, by the profile
 */
struct sim_counters {
	u64 reads;
	u64 programs;
	u64 erases;
	u64 bytes_read;
	u64 bytes_programmed;
	u64 bytes_erased;
	u64 violations;
	u64 read_errors;
	u64 program_errors;
	u64 erase_errors;
	u64 bits_corrected;
	u64 reads_uncorrectable;
	u64 power_cuts;
	u64 refused_off;
	u64 ns;
};

/**
 * struct sim_block - state of an eraseblock
 * @wear: erases (RAM, PCM: writes of write buffers in it)
 * @next: NAND: no page below may be programmed
 * @broken: programs and erases fail
 * @bad: NAND: it is marked bad
 */
struct sim_block {
	u32 wear;
	u16 next;
	bool broken;
	bool bad;
};

/**
 * struct sim_page - state of a page of NAND
 * @subpages: the sub-pages that have been programmed
 * @oob_programs: how often out-of-band bytes have been
 * @torn: a program or erase was not finished; what is read is not correctable
 */
struct sim_page {
	u8 subpages;
	u8 oob_programs;
	bool torn;
};

/**
 * struct sim_flip - a wrong bit
 * @offset: in which byte
 * @mask: which
 */
struct sim_flip {
	u32 offset;
	u8 mask;
};

/**
 * struct sim_chip - a medium
 * @config: what it is
 * @data: the contents; without the wrong bits in @flips
 * @oob: the out-of-band bytes of all pages
 * @blocks: the eraseblocks
 * @pages: NAND: the pages
 * @flips: bits that are wrong until they are erased or written
 * @nflips: how many
 * @faults: faults to come
 * @random: what they choose by
 * @counters: what happened
 * @off: the power is off
 *
 * The caller serialises all access.
 */
struct sim_chip {
	const struct sim_config *config;
	u8 *data;
	u8 *oob;
	struct sim_block *blocks;
	struct sim_page *pages;
	struct sim_flip flips[SIM_FLIPS_MAX];
	unsigned int nflips;
	struct sim_fault faults[SIM_FAULTS];
	struct sim_random random;
	struct sim_counters counters;
	bool off;
};

/**
 * struct sim_page_io - an operation on a page of NAND
 * @page: its number
 * @column: first byte
 * @len: bytes, 0 for none
 * @data: where they go or come from
 * @oob: all out-of-band bytes, or NULL; in a program, 0xff leaves a byte alone
 * @raw: without ECC: wrong bits show, and sub-pages can be programmed again
 * @bitflips: read: most bits corrected in one step
 * @corrected: read: bits corrected in all steps
 * @failed: read: steps that could not be corrected
 */
struct sim_page_io {
	u32 page;
	u32 column;
	u32 len;
	u8 *data;
	u8 *oob;
	bool raw;
	unsigned int bitflips;
	unsigned int corrected;
	unsigned int failed;
};

void sim_chip_init(struct sim_chip *chip, const struct sim_config *config);
void sim_chip_renew(struct sim_chip *chip);
u32 sim_chip_blocks(const struct sim_config *config);
u32 sim_chip_pages(const struct sim_config *config);
u64 sim_chip_oob_bytes(const struct sim_config *config);
int sim_chip_read(struct sim_chip *chip, u32 offset, u32 len, u8 *data);
int sim_chip_program(struct sim_chip *chip, u32 offset, u32 len,
		     const u8 *data, u32 *done);
int sim_chip_read_page(struct sim_chip *chip, struct sim_page_io *io);
int sim_chip_program_page(struct sim_chip *chip, struct sim_page_io *io);
int sim_chip_erase(struct sim_chip *chip, u32 block);
int sim_chip_mark_bad(struct sim_chip *chip, u32 block);
int sim_chip_flip(struct sim_chip *chip, u32 offset, u32 bits);

#endif /* SIM_CHIP_H */
