// SPDX-License-Identifier: GPL-2.0
/*
 * proswapctl: ask a running proswapd.
 */
#include "client.h"
#include "daemon.h"

int main(int argc, char **argv)
{
	static const struct client client = {
		.name = "proswapctl",
		.daemon = "proswapd",
		.socket = DAEMON_SOCKET("proswapd"),
		.requests = { "status" },
	};

	return client_run(&client, argc, argv);
}
