/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A device: an MTD and a block device, the page buffers below them, and the store.
 *
 * All functions run in process context and may sleep.
 */
#ifndef MTDC_DEV_H
#define MTDC_DEV_H

#include <linux/mtd/mtd.h>

#include "front_blk.h"
#include "front_users.h"
#include "opts.h"
#include "pagebuf.h"
#include "store.h"

#include <uapi/linux/mtdcompr.h>

/**
 * struct mtdc_dev - one device
 * @nr: (I) its number: its place in the table of devices
 * @name: (I) its name
 * @lower_name: (I) name of the MTD below
 * @lower_index: (I) number of the MTD below, -1 for a UBI volume
 * @is_volatile: (I) the media lose their contents with the power
 * @mtd: the MTD; its index is -1 before it is registered
 * @blk: the block device
 * @store: the store; its lock also protects @pagebuf
 * @pagebuf: the page buffers
 * @users: the users of @mtd and @blk
 *
 * I: constant once attached.
 *
 * Lock order: attach_lock in dev.c, the disk's open_mutex, mtd_table_mutex, mtdblock's mutex, the
 * lock of a scratch, store.lock, locks of the driver below.
 */
struct mtdc_dev {
	unsigned int nr;
	char name[MTDCOMPR_NAME_MAX + 1];
	char lower_name[MTDC_OPT_NAME_MAX];
	int lower_index;
	bool is_volatile;
	struct mtd_info mtd;
	struct mtdc_blk blk;
	struct mtdc_store store;
	struct mtdc_pagebuf pagebuf;
	struct mtdc_users users;
};

int mtdc_dev_attach(const char *text);
int mtdc_dev_attach_all(const char * const *texts, unsigned int n);
int mtdc_dev_detach(const char *which);
void mtdc_dev_detach_all(void);
int mtdc_dev_may_hibernate(void);
void mtdc_dev_wipe_keys(void);
int mtdc_dev_power_init(void);
void mtdc_dev_power_exit(void);

#endif /* MTDC_DEV_H */
