// SPDX-License-Identifier: GPL-2.0
/*
 * rectifyctl: tell rectifyd which app is in front, or ask it.
 */
#include "client.h"
#include "daemon.h"

int main(int argc, char **argv)
{
	static const struct client client = {
		.name = "rectifyctl",
		.daemon = "rectifyd",
		.socket = DAEMON_SOCKET("rectifyd"),
		.requests = { "status", "fg APP", "bg APP" },
	};

	return client_run(&client, argc, argv);
}
