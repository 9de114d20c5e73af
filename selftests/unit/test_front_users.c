// SPDX-License-Identifier: GPL-2.0
/*
 * The users of a device: which side may write, and which user leaves last; the device must not be
 * freed before its last user has left the lock.
 */
#include <errno.h>

#include "harness.h"
#include "front_users.h"

unsigned long shim_jiffies;

static struct mtdc_users users;
/* The other user leaves never, as soon as the lock is free, or when the test waits for him. */
static enum { NEVER, UNLOCKED, WAITED_FOR } leaves;
static unsigned int waits;

/* The user has left for all others to see, but still holds the lock. */
static void leave_slowly(void)
{
	leaves = NEVER;
	users.lock.held = true;
	users.mtd--;
}

void shim_before_lock(spinlock_t *lock)
{
	/* Taking the lock waits until the other user has released it. */
	lock->held = false;
}

void shim_after_unlock(spinlock_t *lock)
{
	(void)lock;
	if (leaves == UNLOCKED)
		leave_slowly();
}

void shim_wait(bool limited)
{
	(void)limited;
	waits++;
	if (leaves == WAITED_FOR)
		leave_slowly();
}

static void begin(void)
{
	mtdc_users_init(&users);
	leaves = NEVER;
	waits = 0;
}

/* At any time, at most one side may write. */
static void test_sides(void)
{
	begin();
	expect_eq(mtdc_users_enter_mtd(&users), 0);
	expect(mtdc_users_mtd_may_write(&users));
	expect_eq(mtdc_users_enter_blk(&users, false), 0);
	expect_eq(mtdc_users_blk_writes(&users), -EBUSY);
	expect_eq(mtdc_users_enter_blk(&users, true), -EBUSY);
	expect_eq(waits, 1);
	mtdc_users_leave_mtd(&users);
	expect_eq(mtdc_users_blk_writes(&users), 0);
	expect_eq(mtdc_users_enter_mtd(&users), 0);
	expect(!mtdc_users_mtd_may_write(&users));
	mtdc_users_leave_blk(&users);
	expect(mtdc_users_mtd_may_write(&users));
	mtdc_users_leave_mtd(&users);
}

/* A short look at the MTD is waited for. */
static void test_glance(void)
{
	begin();
	expect_eq(mtdc_users_enter_mtd(&users), 0);
	leaves = WAITED_FOR;
	expect_eq(mtdc_users_enter_blk(&users, true), 0);
	expect_eq(waits, 1);
	mtdc_users_leave_blk(&users);
}

static void test_close(void)
{
	begin();
	expect_eq(mtdc_users_enter_blk(&users, true), 0);
	expect_eq(mtdc_users_close(&users, false, "users"), -EBUSY);
	expect_eq(mtdc_users_enter_mtd(&users), 0);
	mtdc_users_leave_mtd(&users);
	mtdc_users_leave_blk(&users);
	expect_eq(mtdc_users_close(&users, false, "users"), 0);
	expect_eq(mtdc_users_enter_mtd(&users), -ENODEV);
	expect_eq(mtdc_users_enter_blk(&users, false), -ENXIO);
	expect_eq(waits, 0);
}

/* The last user leaves during the wait, or just before it, when the lock is free. */
static void test_last(void)
{
	begin();
	expect_eq(mtdc_users_enter_mtd(&users), 0);
	leaves = WAITED_FOR;
	expect_eq(mtdc_users_close(&users, true, "users"), 0);
	expect(!users.lock.held);
	expect_eq(waits, 1);

	begin();
	expect_eq(mtdc_users_enter_mtd(&users), 0);
	leaves = UNLOCKED;
	expect_eq(mtdc_users_close(&users, true, "users"), 0);
	expect(!users.lock.held);
	expect_eq(waits, 0);
}

static const struct tap_case cases[] = {
	{ "one side writes at a time", test_sides },
	{ "a glance is waited for", test_glance },
	{ "nobody comes in any more", test_close },
	{ "the last one is out of the lock", test_last },
};

int main(int argc, char **argv)
{
	return tap_main("users", cases, ARRAY_SIZE(cases), argc, argv);
}
