/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A device: a store, the page buffers above it, and the MTD and the block device that
 * they appear as.
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
 * @nr: (I) its number, and its place in the table of devices
 * @name: (I) its name
 * @lower_name: (I) name of the MTD below
 * @lower_index: (I) number of the MTD below, -1 if it is a UBI volume by itself
 * @is_volatile: (I) what is on it may be lost with the power
 * @mtd: the MTD above
 * @index: its number, or -1 before it has one; for whoever does not hold the
 *	attach lock
 * @blk: the block device
 * @store: the store; its lock protects it and @pagebuf
 * @pagebuf: the page buffers
 * @users: who has it open, by which side
 *
 * I: constant once attached.
 *
 * Lock order: the attach lock of dev.c, the block device's open_mutex,
 * mtd_table_mutex, mtdblock's mutex, the lock of a scratch, the store's lock, locks of
 * the lower MTD.
 * Everything that goes on at attach and detach is serialised by the attach lock.
 */
struct mtdc_dev {
	unsigned int nr;
	char name[MTDCOMPR_NAME_MAX + 1];
	char lower_name[MTDC_OPT_NAME_MAX];
	int lower_index;
	bool is_volatile;
	struct mtd_info mtd;
	int index;
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

#endif /* MTDC_DEV_H */
