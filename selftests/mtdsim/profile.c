// SPDX-License-Identifier: GPL-2.0
/*
 * The table of chips.
 *
 * Each figure has its source beside it: [1], the first page of the datasheet; or [assumed] with the
 * reason, if that page lacks it. Typical figures are preferred, because a run of many operations
 * takes the typical time, not the longest. Options can override all of them.
 *
 * This file does not know how the times are used.
 */
#include <linux/kernel.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "profile.h"

static const struct sim_profile profiles[] = {
	{
		.name = "ram",
		.chip = "RAM, as quick as the host's",
		.type = SIM_RAM,
		.erasesize = SZ_4K,
		.writesize = 1,
	},
	/*
	 * [1] Numonyx Omneo P8P PCM, 128-Mbit Parallel Phase Change Memory,
	 * Datasheet 316144-07, July 2010, "Product Features".
	 */
	{
		.name = "p8p",
		.chip = "Numonyx Omneo P8P, 128 Mbit, x16",
		.type = SIM_PCM,
		.erasesize = SZ_128K,	/* [1] main blocks */
		.writesize = 1,		/* [1] bit-alterable */
		.rated = 1000000,	/* [1] more than, write cycles */
		.times = {
			/* [1] 115 ns initial read access (0 to 70 degrees C) */
			.read_ns = 115 - 25,
			/* [1] 25 ns 8-word asynchronous-page read */
			.read_unit = 16,
			.bus_bytes = 2,
			.read_cycle_ns = 25,
			/*
			 * 70 ns, and a buffer of 64 bytes: the report on the
			 * announcement in the Denali Memory Blog, 22 April
			 * 2010.
			 */
			.write_cycle_ns = 70,
			.program_unit = 64,
			/*
			 * [assumed] The table of program times in [1] was not at hand. 120 us are
			 * 0.5 Mbyte/s; the maker's own round figure of 2009 for this chip, 1
			 * Mbyte/s (CNET, quoted by Neowin), would be 64 us.
			 */
			.program_ns = 120000,
			/* [1] No erase is required: it is a write of ones. */
		},
	},
	/*
	 * [1] Intel StrataFlash Embedded Memory (P30), Datasheet 306666-001,
	 * April 2005, "Product Features". The L18 of the same age (251902-010,
	 * August 2005), another companion of the PXA27x, says the same.
	 */
	{
		.name = "p30",
		.chip = "Intel StrataFlash P30, x16",
		.type = SIM_NOR,
		.erasesize = SZ_128K,	/* [1] main blocks */
		.writesize = 1,
		.rated = 100000,	/* [1] minimum erase cycles per block */
		.times = {
			/* [1] 85 ns initial access */
			.read_ns = 85 - 25,
			/*
			 * [1] 25 ns asynchronous-page read mode; [assumed] a
			 * page of 4 words.
			 */
			.read_unit = 8,
			.bus_bytes = 2,
			.read_cycle_ns = 25,
			/*
			 * [1] 1.8 V buffered programming at 7 us/byte (Typ),
			 * which includes the bus; [assumed] a buffer of 32
			 * words.
			 */
			.program_unit = 64,
			.program_ns = 64 * 7000,
			/*
			 * [assumed] The table of erase times in [1] was not at hand. The CFI table
			 * of the flash on QEMU's board has 2^10 ms.
			 */
			.erase_ns = 1024000000,
			.erase_unit = SZ_128K,
		},
	},
	/*
	 * [1] Micron NAND Flash Memory MT29F4G08AAA, MT29F8G08BAA,
	 * MT29F8G08DAA, MT29F16G08FAA: 4Gb, 8Gb, and 16Gb x8, "Features".
	 */
	{
		.name = "mt29f4g",
		.chip = "Micron MT29F4G08AAA, SLC NAND, x8",
		.type = SIM_NAND,
		.erasesize = SZ_128K,	/* [1] 64 pages (128K + 4K bytes) */
		.writesize = SZ_2K,	/* [1] 2,112 bytes (2,048 + 64) */
		.oobsize = 64,
		/*
		 * [assumed] Four partial programs of a page, as with Samsung's K9F1G08U0A and
		 * K9F4G08U0M of the same organisation.
		 */
		.subpage = 512,
		/* [assumed] More than an SLC needs, to make corrections visible. */
		.ecc = 4,
		.rated = 100000,	/* [1] PROGRAM/ERASE cycles */
		.times = {
			/* [1] Random READ: 25 us (MAX); no typical figure */
			.read_ns = 25000,
			.read_unit = SZ_2K,
			/* [1] Sequential READ: 25 ns (MIN) */
			.bus_bytes = 1,
			.read_cycle_ns = 25,
			/* [assumed] Writing is as quick as reading. */
			.write_cycle_ns = 25,
			/* [1] PROGRAM PAGE: 220 us (TYP) */
			.program_ns = 220000,
			.program_unit = SZ_2K,
			/* [1] BLOCK ERASE: 1.5 ms (TYP) */
			.erase_ns = 1500000,
			.erase_unit = SZ_128K,
		},
	},
};

/**
 * sim_profile_find() - find a chip by its name
 * @name: the name
 *
 * Context: any.
 * Return: the chip, or NULL.
 */
const struct sim_profile *sim_profile_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}

/**
 * sim_profile_default() - the default chip for a kind of medium
 * @type: the kind
 *
 * Context: any.
 * Return: the chip.
 */
const struct sim_profile *sim_profile_default(enum sim_type type)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		if (profiles[i].type == type)
			return &profiles[i];
	return NULL;
}
