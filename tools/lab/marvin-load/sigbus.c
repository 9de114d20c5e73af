// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "loads.h"
#include "sigbus.h"

static _Thread_local sigjmp_buf *to;

static void handle(int number)
{
	static const char text[] = "a SIGBUS: bytes are lost\n";
	sigjmp_buf *where = to;

	(void)number;
	if (where) {
		to = NULL;
		siglongjmp(*where, 1);
	}
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(LOAD_LOST);
	_exit(LOAD_LOST);
}

/**
 * sigbus_begin() - from now on a SIGBUS ends the program with LOAD_LOST
 *
 * Before the heap is opened, because the road of signals has a handler of its own.
 */
void sigbus_begin(void)
{
	struct sigaction action = { .sa_handler = handle };

	sigemptyset(&action.sa_mask);
	/* Before Linux 6.6 a lost page may be SIGSEGV for a moment, while it is read again. */
	if (sigaction(SIGBUS, &action, NULL) || sigaction(SIGSEGV, &action, NULL))
		err(LOAD_FAILED, "sigaction");
}

/**
 * sigbus_to() - where this thread goes on after its next SIGBUS
 * @where: of sigsetjmp(), with the signal mask; NULL: nowhere
 */
void sigbus_to(sigjmp_buf *where)
{
	to = where;
}
