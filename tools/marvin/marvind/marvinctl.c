// SPDX-License-Identifier: GPL-2.0
/*
 * marvinctl: which programs there are, what they have given, and which are in the background.
 */
#include "client.h"
#include "daemon.h"

int main(int argc, char **argv)
{
	static const struct client client = {
		.name = "marvinctl",
		.daemon = "marvind",
		.socket = DAEMON_SOCKET("marvind"),
		.requests = { "list", "stats", "status", "bg PID", "fg PID" },
		.top = "list",
	};

	return client_run(&client, argc, argv);
}
