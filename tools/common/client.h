/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_CLIENT_H
#define COMMON_CLIENT_H

struct client {
	const char *name;		/* "latdctl" */
	const char *daemon;		/* "latd" */
	const char *socket;
	/* As in the daemon's table of verbs: "status" or "fg PID"; NULL at the end. */
	const char *requests[8];
	const char *top;		/* the request that "top" repeats; or NULL */
};

int client_run(const struct client *client, int argc, char **argv);

#endif
