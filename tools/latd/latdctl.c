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
		.usage = "usage: latdctl [-s SOCKET] status [--json]\n"
			 "       latdctl [-s SOCKET] protect PID\n"
			 "       latdctl [-s SOCKET] release PID\n",
		.list = "protected",
	};

	return client_run(&client, argc, argv);
}
