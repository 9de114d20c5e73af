/* SPDX-License-Identifier: GPL-2.0 */
/* The text that makes a device. */
#ifndef SIM_CONFIG_H
#define SIM_CONFIG_H

#include <linux/types.h>

#include "delay.h"
#include "profile.h"

#define SIM_NAME_MAX	32	/* bytes of a name, with its NUL */
#define SIM_BAD_MAX	32	/* most blocks in bad= */
#define SIM_OOB_MAX	1024	/* out-of-band bytes of a page */
#define SIM_MARKER	2	/* out-of-band bytes of a bad-block marker */
#define SIM_ECC_STEP	512U	/* bytes that are corrected together */

/**
 * struct sim_config - a device; options that are missing come from the profile
 * @name: name of the MTD
 * @type: kind of medium
 * @profile: the chip
 * @times: times of the chip, with the options applied
 * @delay: how the time passes
 * @has_base: @base was given
 * @base: physical address of the storage
 * @size: bytes of the MTD
 * @erasesize: bytes of an eraseblock
 * @writesize: bytes that have to be written at once
 * @oobsize: NAND: out-of-band bytes of a page
 * @subpage: NAND: bytes of a sub-page
 * @readsize: NAND: bytes that are read and corrected together
 * @ecc: NAND: bits corrected in each step
 * @endurance: erases (PCM, RAM: writes) that a block survives, 0: any number
 * @seed: seed of all random numbers
 * @bad: NAND: blocks that are bad from the beginning
 * @nbad: number of @bad
 */
struct sim_config {
	char name[SIM_NAME_MAX];
	enum sim_type type;
	const struct sim_profile *profile;
	struct sim_times times;
	struct sim_delay delay;
	bool has_base;
	u64 base;
	u32 size;
	u32 erasesize;
	u32 writesize;
	u32 oobsize;
	u32 subpage;
	u32 readsize;
	u32 ecc;
	u32 endurance;
	u64 seed;
	u32 bad[SIM_BAD_MAX];
	unsigned int nbad;
};

int sim_config_parse(struct sim_config *config, char *text,
		     const char **reason);
const char *sim_config_type(enum sim_type type);
u32 sim_config_oob_reserved(const struct sim_config *config);

#endif /* SIM_CONFIG_H */
