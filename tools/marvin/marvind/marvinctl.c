// SPDX-License-Identifier: GPL-2.0
/*
 * marvinctl: which programs there are, what they have given, and which are in the background.
 */
#include <stddef.h>
#include "client.h"
#include "daemon.h"
#include "rows.h"

int main(int argc, char **argv)
{
	static const char *const words[] = { "list", "stats", NULL };
	static const struct client client = {
		.name = "marvinctl",
		.daemon = "marvind",
		.socket = DAEMON_SOCKET("marvind"),
		.usage = "usage: marvinctl [-s SOCKET] list | stats | status [--json]\n"
			 "       marvinctl [-s SOCKET] top [-n TIMES] [--json]\n"
			 "       marvinctl [-s SOCKET] bg PID\n"
			 "       marvinctl [-s SOCKET] fg PID\n",
		.list = "",
		.words = words,
		.top = "list",
		.again = "bg?",
		.print = rows_print,
	};

	return client_run(&client, argc, argv);
}
