// SPDX-License-Identifier: GPL-2.0
/*
 * latdctl: ask a running latd, or tell it whom to protect.
 */
#include "client.h"
#include "daemon.h"

int main(int argc, char **argv)
{
	static const struct client client = {
		.name = "latdctl",
		.daemon = "latd",
		.socket = DAEMON_SOCKET("latd"),
		.requests = { "status", "protect PID", "release PID" },
	};

	return client_run(&client, argc, argv);
}
