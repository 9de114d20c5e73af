/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the simulated chips are like: geometry and times.
 */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include <linux/types.h>

/**
 * enum sim_type - kind of a medium
 * @SIM_RAM: anything, anywhere, any number of times
 * @SIM_PCM: the same, but slow to write, and it wears out
 * @SIM_NOR: a program only clears bits, an erase sets those of a block
 * @SIM_NAND: programmed by pages, once and in order, with out-of-band bytes
 * @SIM_TYPES: their number
 */
enum sim_type {
	SIM_RAM,
	SIM_PCM,
	SIM_NOR,
	SIM_NAND,
	SIM_TYPES
};

/**
 * struct sim_times - what a chip takes, in nanoseconds
 * @read_ns: to open a read unit, beyond the bus cycles
 * @read_unit: bytes of a read unit
 * @bus_bytes: bytes of a bus cycle
 * @read_cycle_ns: a bus cycle of reading
 * @write_cycle_ns: a bus cycle of filling the write buffer
 * @program_ns: to program a write buffer
 * @program_unit: bytes of a write buffer
 * @erase_ns: to erase @erase_unit bytes; 0: an erase is a write of all of them
 * @erase_unit: bytes that @erase_ns is meant for
 *
 * A @read_unit, @bus_bytes or @erase_unit of 0 means that nothing is charged.
 * NAND: the read unit and the write buffer are the page, whatever its size.
 */
struct sim_times {
	u32 read_ns;
	u32 read_unit;
	u32 bus_bytes;
	u32 read_cycle_ns;
	u32 write_cycle_ns;
	u32 program_ns;
	u32 program_unit;
	u32 erase_ns;
	u32 erase_unit;
};

/**
 * struct sim_profile - a chip
 * @name: as profile= takes it
 * @chip: what it is, for people
 * @type: the kind of medium
 * @erasesize: bytes of an eraseblock
 * @writesize: bytes that have to be written at once
 * @subpage: bytes of a sub-page, 0 but for NAND
 * @oobsize: out-of-band bytes of a page, 0 but for NAND
 * @ecc: bits that the code corrects in each 512 bytes, 0 but for NAND
 * @rated: erases of a block (PCM: writes of a cell) that the maker promises,
 *	for information
 * @times: what it takes
 */
struct sim_profile {
	const char *name;
	const char *chip;
	enum sim_type type;
	u32 erasesize;
	u32 writesize;
	u32 subpage;
	u32 oobsize;
	u32 ecc;
	u32 rated;
	struct sim_times times;
};

const struct sim_profile *sim_profile_find(const char *name);
const struct sim_profile *sim_profile_default(enum sim_type type);

#endif /* SIM_PROFILE_H */
