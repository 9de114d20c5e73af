/* SPDX-License-Identifier: GPL-2.0 */
/* Geometry and times of the simulated chips. */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include <linux/types.h>

/**
 * enum sim_type - kind of a medium
 * @SIM_RAM: any byte can be written at any time
 * @SIM_PCM: the same, but writes are slow and wear it out
 * @SIM_NOR: a program only clears bits, an erase sets all bits of a block
 * @SIM_NAND: programmed by pages, once and in order, with out-of-band bytes
 * @SIM_TYPES: number of kinds
 */
enum sim_type {
	SIM_RAM,
	SIM_PCM,
	SIM_NOR,
	SIM_NAND,
	SIM_TYPES
};

/**
 * struct sim_times - times of a chip, in nanoseconds
 * @read_ns: to open a read unit, in addition to the bus cycles
 * @read_unit: bytes of a read unit
 * @bus_bytes: bytes of a bus cycle
 * @read_cycle_ns: a bus cycle of a read
 * @write_cycle_ns: a bus cycle that fills the write buffer
 * @program_ns: to program a write buffer
 * @program_unit: bytes of a write buffer
 * @erase_ns: to erase @erase_unit bytes; 0: an erase is a write of all of them
 * @erase_unit: bytes that @erase_ns is meant for
 *
 * A @read_unit, @bus_bytes or @erase_unit of 0 means that no time is charged. NAND: the read unit
 * and the write buffer are the page, whatever its size.
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
 * @name: name for profile=
 * @chip: description for people
 * @type: kind of medium
 * @erasesize: bytes of an eraseblock
 * @writesize: bytes that have to be written at once
 * @subpage: NAND: bytes of a sub-page; otherwise 0
 * @oobsize: NAND: out-of-band bytes of a page; otherwise 0
 * @ecc: NAND: bits that the code corrects in each 512 bytes; otherwise 0
 * @rated: erases of a block (PCM: writes of a cell) that the maker promises, for information
 * @times: its times
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
