// SPDX-License-Identifier: GPL-2.0
/* Tables with room for some processes: one user cannot take the places of all other users. PURE. */
#include "share.h"

static unsigned int count(const uid_t *users, unsigned int n, uid_t user)
{
	unsigned int i, found = 0;

	for (i = 0; i < n; i++)
		found += users[i] == user;
	return found;
}

/**
 * share_yields() - a table is full: which place does a newcomer get?
 * @users: of the places
 * @n: how many places there are
 * @newcomer: the user of the newcomer
 *
 * The user with the most places gives up the last one, if the newcomer's user then still has no
 * more. So two users' processes do not chase each other out in turn.
 *
 * Return: the number of the place, or -1: the newcomer has to stay outside.
 */
int share_yields(const uid_t *users, unsigned int n, uid_t newcomer)
{
	unsigned int i, has, most = 0;
	int place = -1;

	for (i = 0; i < n; i++) {
		has = count(users, n, users[i]);
		if (has >= most) {
			most = has;
			place = (int)i;
		}
	}
	return most >= count(users, n, newcomer) + 2 ? place : -1;
}
