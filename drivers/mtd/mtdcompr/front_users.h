/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The users of a device.
 *
 * Functions without a Context line may be called in any context.
 */
#ifndef MTDC_FRONT_USERS_H
#define MTDC_FRONT_USERS_H

#include <linux/compiler.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/**
 * struct mtdc_users - the users of one device
 * @lock: protects all other fields; a leaf
 * @mtd: opens of the MTD and of its partitions
 * @blk: opens of the block device
 * @writing: the block device was opened for writing, or written to, and is still open
 * @closed: the device goes away: only a block device that is open can be opened again
 *
 * Fields change under @lock. Waiters and the fast paths read them without it.
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
int mtdc_users_enter_blk(struct mtdc_users *users, bool write);
void mtdc_users_leave_blk(struct mtdc_users *users);
int mtdc_users_blk_writes(struct mtdc_users *users);
int mtdc_users_close(struct mtdc_users *users, bool wait, const char *name);

/**
 * mtdc_users_any() - is the device open?
 * @users: the users
 *
 * Context: any. Without @users->lock the answer may be old when this returns.
 * Return: true if the MTD or the block device is open.
 */
static inline bool mtdc_users_any(const struct mtdc_users *users)
{
	return READ_ONCE(users->mtd) || READ_ONCE(users->blk);
}

/**
 * mtdc_users_mtd_may_write() - may the MTD be written to?
 * @users: the users; the caller has the MTD open, so the answer cannot change to false
 *
 * Return: false while the block device is open for writing.
 */
static inline bool mtdc_users_mtd_may_write(const struct mtdc_users *users)
{
	return likely(!READ_ONCE(users->writing));
}

#endif /* MTDC_FRONT_USERS_H */
