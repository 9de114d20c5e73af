/* SPDX-License-Identifier: GPL-2.0 */
/* The cells of the media. */
#ifndef SIM_CHIP_H
#define SIM_CHIP_H

#include <linux/types.h>

#include "config.h"
#include "fault.h"

#define SIM_FLIPS_MAX		1024	/* most wrong bits at a time */
#define SIM_OOB_PROGRAMS	4	/* of a page between erases */

/**
 * struct sim_counters - counts since the device was made
 * @reads: read operations: of a page (NAND), or of any length
 * @programs: program operations: of a page (NAND), or of a write buffer
 * @erases: erases of a block
 * @bytes_read: bytes of successful reads, without out-of-band bytes
 * @bytes_programmed: bytes of successful programs, without out-of-band bytes
 * @bytes_erased: bytes of successful erases
 * @violations: operations that the medium does not allow: impossible changes of cells, and any use
 *    of a block marked bad except reads
 * @read_errors: failed reads without ECC errors
 * @program_errors: failed programs
 * @erase_errors: failed erases
 * @bits_corrected: wrong bits that were corrected
 * @reads_uncorrectable: reads with more wrong bits than can be corrected
 * @power_cuts: number of power cuts
 * @refused_off: operations refused while the power was off
 * @ns: time that all operations take, by the profile
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
 * @next: NAND: first page that may be programmed
 * @broken: programs and erases fail
 * @bad: NAND: marked bad
 */
struct sim_block {
	u32 wear;
	u16 next;
	bool broken;
	bool bad;
};

/**
 * struct sim_page - state of a page of NAND
 * @subpages: mask of programmed sub-pages
 * @oob_programs: programs of out-of-band bytes since the erase
 * @torn: a program or erase was interrupted; reads give ECC errors
 */
struct sim_page {
	u8 subpages;
	u8 oob_programs;
	bool torn;
};

/**
 * struct sim_flip - a wrong bit
 * @offset: its byte
 * @mask: the bit in the byte
 */
struct sim_flip {
	u32 offset;
	u8 mask;
};

/**
 * struct sim_chip - a medium
 * @config: its configuration
 * @data: the contents, without the wrong bits in @flips
 * @oob: the out-of-band bytes of all pages
 * @blocks: the eraseblocks
 * @pages: NAND: the pages
 * @flips: bits that are wrong until they are erased or written
 * @nflips: number of @flips
 * @faults: faults to inject
 * @random: stream of random numbers for @faults
 * @counters: counts of operations
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
 * @data: destination or source
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
