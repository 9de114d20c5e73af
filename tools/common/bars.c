// SPDX-License-Identifier: GPL-2.0
/*
 * The programs that held the helper (aside.h). The daemon leaves them alone, and all programs of a
 * user with several of them. PURE.
 */
#include "bars.h"

/** bars_has_user() - are all programs of a user left alone? Never for root. */
bool bars_has_user(const struct bars *bars, uid_t user)
{
	unsigned int i, n = 0;

	for (i = 0; i < BARS; i++)
		n += bars->programs[i].pid && bars->users[i] == user;
	return user && n >= BARS_OF_USER;
}

/** bars_has() - is a program of a user left alone? */
bool bars_has(const struct bars *bars, struct proc_id id, uid_t user)
{
	unsigned int i;

	for (i = 0; i < BARS; i++)
		if (bars->programs[i].pid == id.pid && bars->programs[i].start == id.start)
			return true;
	return bars_has_user(bars, user);
}

/**
 * bars_add() - leave a program of a user alone from now on
 *
 * The ring table keeps space for all users: BARS_OF_USER programs bar the user.
 */
void bars_add(struct bars *bars, struct proc_id id, uid_t user)
{
	unsigned int i = bars->next++ % BARS;

	bars->programs[i] = id;
	bars->users[i] = user;
}
