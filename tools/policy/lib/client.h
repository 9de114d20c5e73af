/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The control tool of a daemon: asks by its socket, and prints the answer.
 */
#ifndef POLICY_CLIENT_H
#define POLICY_CLIENT_H

struct client {
	const char *name;		/* "latdctl" */
	const char *daemon;		/* "latd" */
	const char *socket;
	const char *usage;
	const char *list;		/* the key whose value is a list of numbers, for --json */
};

int client_run(const struct client *client, int argc, char **argv);

#endif
