/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control tool of a daemon: asks by its socket, and prints the answer.
 */
#ifndef POLICY_CLIENT_H
#define POLICY_CLIENT_H

/* A daemon's answer is settled by then, or is said to be pending. */
#define CLIENT_PENDING_MS 2500

struct client {
	const char *name;		/* "latdctl" */
	const char *daemon;		/* "latd" */
	const char *socket;
	const char *usage;
	const char *list;		/* the key whose value is a list of numbers, for --json */
	/* Words besides "status" that are a request by themselves; ends with NULL, or is NULL. */
	const char *const *words;
	const char *top;		/* the request that "top" repeats; or NULL */
	/*
	 * The word in place of the first one of a request whose answer has "pending: yes": asked
	 * again and again, for CLIENT_PENDING_MS. NULL: never.
	 */
	const char *again;
	/* Prints the answer to a request; NULL: as it is. */
	void (*print)(const char *request, char *text);
};

int client_run(const struct client *client, int argc, char **argv);

#endif
