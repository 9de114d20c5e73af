// SPDX-License-Identifier: GPL-2.0
/*
 * Users share the places of a full table.
 */
#include "harness.h"
#include "share.h"

#define PLACES 8

static void fill(uid_t *users, uid_t user)
{
	unsigned int i;

	for (i = 0; i < PLACES; i++)
		users[i] = user;
}

static void test_yields(void)
{
	uid_t users[PLACES];

	fill(users, 1000);
	expect_eq(share_yields(users, PLACES, 1000), -1);
	expect_eq(share_yields(users, PLACES, 0), PLACES - 1);
	users[3] = 0;
	users[4] = 0;
	expect_eq(share_yields(users, PLACES, 0), PLACES - 1);
	users[5] = 0;
	/* Three and five places: the user with three gets one more, and then it is even. */
	expect_eq(share_yields(users, PLACES, 0), PLACES - 1);
	users[6] = 0;
	expect_eq(share_yields(users, PLACES, 0), -1);
	expect_eq(share_yields(users, PLACES, 1000), -1);
	expect(share_yields(users, PLACES, 1001) >= 0);
}

/* Requests in any order: each user gets its share, and then no place changes its user. */
static void test_any_order(void)
{
	uid_t users[PLACES];
	unsigned int i, round, n, changes;
	int place;

	fill(users, 1);
	for (round = 0; round < 100; round++) {
		for (i = 0; i < 4; i++) {
			place = share_yields(users, PLACES, 1 + i);
			if (place >= 0)
				users[place] = 1 + i;
		}
	}
	for (i = 0; i < 4; i++) {
		uid_t user = 1 + i;

		for (n = 0, place = 0; place < PLACES; place++)
			n += users[place] == user;
		expect_eq(n, 2);
	}
	for (changes = 0, i = 0; i < 4; i++)
		changes += share_yields(users, PLACES, 1 + i) >= 0;
	expect_eq(changes, 0);
}

static const struct tap_case cases[] = {
	{ "which user gives up a place", test_yields },
	{ "any order", test_any_order },
};

int main(int argc, char **argv)
{
	return tap_main("share", cases, ARRAY_SIZE(cases), argc, argv);
}
