/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who has a device open.
 */
#ifndef MTDC_FRONT_USERS_H
#define MTDC_FRONT_USERS_H

#include <linux/compiler.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct mtdc_users - the users of one device
 * @lock: protects what is marked U; a leaf
 * @mtd: (U) how often its MTD is open, the partitions included
 * @blk: (U) how often its block device is
 * @writing: (U) the block device was opened for writing, or has been written to, and
 *	has not been closed by all since
 * @closed: (U) no more users are let in, but by a block device that is open
 *
 * U: changed under @lock, read without it by those who wait.
 */
struct mtdc_users {
	spinlock_t lock;	/* everything else here */
	unsigned int mtd;
	unsigned int blk;
	bool writing;
	bool closed;
};

void mtdc_users_init(struct mtdc_users *users);
int mtdc_users_enter_mtd(struct mtdc_users *users);
void mtdc_users_leave_mtd(struct mtdc_users *users);
void mtdc_users_glance(struct mtdc_users *users);
int mtdc_users_enter_blk(struct mtdc_users *users, bool write);
void mtdc_users_leave_blk(struct mtdc_users *users);
int mtdc_users_claim(struct mtdc_users *users);
int mtdc_users_close(struct mtdc_users *users, bool wait, const char *name);

/**
 * mtdc_users_any() - has anyone the device open?
 * @users: the users
 *
 * Context: any. Without @users->lock it may have changed when this returns.
 * Return: true if so, by whichever side.
 */
static inline bool mtdc_users_any(const struct mtdc_users *users)
{
	return READ_ONCE(users->mtd) || READ_ONCE(users->blk);
}

/**
 * mtdc_users_mtd_may_write() - may the MTD be written to?
 * @users: the users; the caller is one of the MTD's, so that the block device is
 *	not opened for writing meanwhile
 *
 * Context: any.
 * Return: false while its block device is written to.
 */
static inline bool mtdc_users_mtd_may_write(const struct mtdc_users *users)
{
	return likely(!READ_ONCE(users->writing));
}

/**
 * mtdc_users_blk_writes() - the block device is written to
 * @users: the users; the caller is one of the block device's
 *
 * Context: process.
 * Return: 0; -EBUSY if it was not opened for writing, and the MTD is open.
 */
static inline int mtdc_users_blk_writes(struct mtdc_users *users)
{
	return likely(READ_ONCE(users->writing)) ? 0 : mtdc_users_claim(users);
}

#endif /* MTDC_FRONT_USERS_H */
