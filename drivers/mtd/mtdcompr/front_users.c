// SPDX-License-Identifier: GPL-2.0
/*
 * Who has a device open, and which of its two sides may write.
 *
 * A device is an MTD and a block device. The page caches of mtdblock and of the
 * block device know nothing of each other, nor does who swaps on one of them of a
 * file system on the other. So one side writes at a time, and opening decides
 * which:
 *
 * - The block device can't be opened for writing while the MTD is open, by anyone and
 *   for whatever: the MTD core does not say what for.
 * - Once it is, and until all have closed it, writes to the MTD are refused. It can
 *   be opened and read.
 * - Who has opened the block device only to read and writes nevertheless, as a file
 *   system may, is asked the same at that moment.
 *
 * This file counts. What a device is, it does not know.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>

#include "front_users.h"

/* udev opens what is new to look at it. That is no reason to refuse a swapon. */
#define GLANCE	HZ

/**
 * mtdc_users_init() - nobody yet
 * @users: the users
 *
 * Context: any.
 */
void mtdc_users_init(struct mtdc_users *users)
{
	spin_lock_init(&users->lock);
	users->mtd = 0;
	users->blk = 0;
	users->writing = false;
	users->closed = false;
}

static void left(struct mtdc_users *users)
{
	/* Whoever waits has to see it before it is seen whether anyone does. */
	smp_mb();
	wake_up_var(users);
}

/**
 * mtdc_users_enter_mtd() - the MTD, or a partition of it, is opened
 * @users: the users
 *
 * Context: process; mtd_table_mutex may be held.
 * Return: 0; -ENODEV if it goes away.
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
 * mtdc_users_leave_mtd() - it is closed
 * @users: the users
 *
 * Context: process; mtd_table_mutex may be held.
 */
void mtdc_users_leave_mtd(struct mtdc_users *users)
{
	spin_lock(&users->lock);
	WRITE_ONCE(users->mtd, users->mtd - 1);
	spin_unlock(&users->lock);
	left(users);
}

static int enter_blk(struct mtdc_users *users, bool write)
{
	int err = 0;

	spin_lock(&users->lock);
	/* Who swaps to it, and is waited for, has to open it once more for swapoff. */
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
 * mtdc_users_glance() - wait for up to a second for users of the MTD to leave
 * @users: the users
 *
 * Context: process, may sleep.
 */
void mtdc_users_glance(struct mtdc_users *users)
{
	wait_var_event_timeout(users, !READ_ONCE(users->mtd), GLANCE);
}

/**
 * mtdc_users_enter_blk() - the block device is opened
 * @users: the users
 * @write: for writing; waits for up to a second for users of the MTD to leave
 *
 * Context: process, may sleep.
 * Return: 0; -ENXIO if it goes away and nobody has it open, -EBUSY if the MTD is open.
 */
int mtdc_users_enter_blk(struct mtdc_users *users, bool write)
{
	int err = enter_blk(users, write);

	if (err != -EBUSY)
		return err;
	mtdc_users_glance(users);
	return enter_blk(users, write);
}

/**
 * mtdc_users_claim() - who has the block device open begins to write
 * @users: the users
 *
 * A file system that was mounted to be read is mounted for writing later, or replays
 * its journal, without opening the device again.
 *
 * Context: process.
 * Return: 0; -EBUSY if the MTD is open.
 */
int mtdc_users_claim(struct mtdc_users *users)
{
	int err = 0;

	spin_lock(&users->lock);
	if (!users->writing && users->mtd)
		err = -EBUSY;
	else
		WRITE_ONCE(users->writing, true);
	spin_unlock(&users->lock);
	return err;
}

/**
 * mtdc_users_leave_blk() - it is closed
 * @users: the users
 *
 * Context: process.
 */
void mtdc_users_leave_blk(struct mtdc_users *users)
{
	spin_lock(&users->lock);
	WRITE_ONCE(users->blk, users->blk - 1);
	if (!users->blk)
		WRITE_ONCE(users->writing, false);
	spin_unlock(&users->lock);
	left(users);
}

/**
 * mtdc_users_close() - let no more users in, but through a block device that is open
 * @users: the users
 * @wait: wait until those that are in have left
 * @name: the device, for a message
 *
 * A module that is being unloaded, or failed to load, has to wait: its users
 * count for nothing then. There may be some, who came or went while the core
 * held no reference on the module, or whom it was given before the load
 * failed.
 *
 * Context: process, may sleep.
 * Return: 0; -EBUSY if there are users and @wait is false: nothing changed.
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
	/* The last one may still be within the lock, even if there was no need to wait. */
	spin_lock(&users->lock);
	spin_unlock(&users->lock);
	return 0;
}
