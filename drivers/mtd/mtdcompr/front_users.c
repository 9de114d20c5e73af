// SPDX-License-Identifier: GPL-2.0
/*
 * The users of a device: they decide which of its two front ends may write.
 *
 * A device is an MTD and a block device. Each has a page cache of its own (mtdblock's, and the
 * block device's), and neither cache sees writes through the other. So one front end writes
 * at a time, and opening decides which:
 *
 * - While the MTD is open, opening the block device for writing fails with EBUSY. The MTD core
 *   does not say whether a user of the MTD writes, so a reader counts, too.
 * - While the block device is open for writing, writes to the MTD fail. It can still be opened
 *   and read.
 * - A file system may open the block device for reading and write later (a remount, a journal
 *   replay). Its first write passes the same check as an open for writing.
 *
 * This file owns the two counts and their lock. It must take no other lock, as the MTD core
 * calls in with mtd_table_mutex held. The front ends call it at open, close and write, and dev.c
 * at detach.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>

#include "front_users.h"

/* udev opens each new MTD for a moment. A swapon waits for it; a second is a guess. */
#define GLANCE	HZ

/**
 * mtdc_users_init() - begin without users
 * @users: the users
 */
void mtdc_users_init(struct mtdc_users *users)
{
	spin_lock_init(&users->lock);
	users->mtd = 0;
	users->blk = 0;
	users->writing = false;
	users->closed = false;
}

static void wake_waiters(struct mtdc_users *users)
{
	/* Make the new count visible before wake_up_var() looks for waiters. */
	smp_mb();
	wake_up_var(users);
}

/**
 * mtdc_users_enter_mtd() - the MTD, or a partition of it, is opened
 * @users: the users
 *
 * Context: process; mtd_table_mutex may be held.
 * Return: 0; -ENODEV if the device goes away.
 */
int mtdc_users_enter_mtd(struct mtdc_users *users)
{
	int err = 0;

	spin_lock(&users->lock);
	if (users->closed)
		err = -ENODEV;
	else
		WRITE_ONCE(users->mtd, users->mtd + 1);
	spin_unlock(&users->lock);
	return err;
}

/**
 * mtdc_users_leave_mtd() - the MTD, or a partition of it, is closed
 * @users: the users
 *
 * Context: process; mtd_table_mutex may be held.
 */
void mtdc_users_leave_mtd(struct mtdc_users *users)
{
	spin_lock(&users->lock);
	WRITE_ONCE(users->mtd, users->mtd - 1);
	spin_unlock(&users->lock);
	wake_waiters(users);
}

static int enter_blk(struct mtdc_users *users, bool write)
{
	int err = 0;

	spin_lock(&users->lock);
	/* swapoff opens the disk again before it closes it: let it in, or detach waits forever. */
	if (users->closed && !users->blk) {
		err = -ENXIO;
	} else if (write && !users->writing && users->mtd) {
		err = -EBUSY;
	} else {
		WRITE_ONCE(users->blk, users->blk + 1);
		if (write)
			WRITE_ONCE(users->writing, true);
	}
	spin_unlock(&users->lock);
	return err;
}

/**
 * mtdc_users_enter_blk() - the block device is opened
 * @users: the users
 * @write: for writing; this waits up to a second until the MTD is closed
 *
 * Context: process, may sleep.
 * Return: 0; -ENXIO if the device goes away, -EBUSY if the MTD is open.
 */
int mtdc_users_enter_blk(struct mtdc_users *users, bool write)
{
	int err = enter_blk(users, write);

	if (err != -EBUSY)
		return err;
	wait_var_event_timeout(users, !READ_ONCE(users->mtd), GLANCE);
	return enter_blk(users, write);
}

/**
 * mtdc_users_blk_writes() - the block device is written to
 * @users: the users; the caller has the block device open
 *
 * Context: process.
 * Return: 0; -EBUSY if the block device is open for reading only, and the MTD is open.
 */
int mtdc_users_blk_writes(struct mtdc_users *users)
{
	int err = 0;

	if (likely(READ_ONCE(users->writing)))
		return 0;
	spin_lock(&users->lock);
	if (!users->writing && users->mtd)
		err = -EBUSY;
	else
		WRITE_ONCE(users->writing, true);
	spin_unlock(&users->lock);
	return err;
}

/**
 * mtdc_users_leave_blk() - the block device is closed
 * @users: the users
 *
 * Context: process.
 */
void mtdc_users_leave_blk(struct mtdc_users *users)
{
	spin_lock(&users->lock);
	WRITE_ONCE(users->blk, users->blk - 1);
	/* Since Linux 6.5 release() does not tell whether the closer was a writer. */
	if (!users->blk)
		WRITE_ONCE(users->writing, false);
	spin_unlock(&users->lock);
	wake_waiters(users);
}

/**
 * mtdc_users_close() - let no more users in
 * @users: the users
 * @wait: wait until all users have left
 * @name: the device, for a message
 *
 * The module's exit has to wait, and so has a load that failed: the code goes away, and some users
 * hold no reference on the module then.
 *
 * Context: process, may sleep.
 * Return: 0; -EBUSY if there are users and @wait is false: then nothing has changed.
 */
int mtdc_users_close(struct mtdc_users *users, bool wait, const char *name)
{
	bool busy;

	spin_lock(&users->lock);
	busy = mtdc_users_any(users);
	if (!busy || wait)
		users->closed = true;
	spin_unlock(&users->lock);
	if (!busy)
		return 0;
	if (!wait)
		return -EBUSY;
	pr_info("%s: waiting for its users\n", name);
	wait_var_event(users, !mtdc_users_any(users));
	/* The last user may still be inside the lock, and the caller frees it. */
	spin_lock(&users->lock);
	spin_unlock(&users->lock);
	return 0;
}
