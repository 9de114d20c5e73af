/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A simulated medium as an MTD.
 */
#ifndef SIM_MTD_H
#define SIM_MTD_H

#include <linux/mtd/mtd.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "chip.h"
#include "config.h"
#include "delay.h"
#include "storage.h"

struct dentry;

/**
 * struct sim_dev - a device
 * @mtd: the MTD
 * @config: its configuration; constant
 * @storage: its memory; constant
 * @files: its directory in debugfs; constant
 * @lock: protects all members below. An operation holds it for its duration, because the chip does
 *    one operation at a time.
 * @chip: the medium (@lock)
 * @delay: how the time passes (@lock)
 * @oob: out-of-band bytes of the present page (@lock)
 * @renewals: number of calls of sim_chip_renew() (@lock)
 */
struct sim_dev {
	struct mtd_info mtd;
	struct sim_config config;
	struct sim_storage storage;
	struct dentry *files;
	struct mutex lock;	/* one operation at a time */
	struct sim_chip chip;
	struct sim_delay delay;
	u8 oob[SIM_OOB_MAX];
	u32 renewals;
};

int sim_mtd_register(struct sim_dev *dev);
void sim_mtd_unregister(struct sim_dev *dev);

#endif /* SIM_MTD_H */
