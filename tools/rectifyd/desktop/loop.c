// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <poll.h>
#include "loop.h"
#include "option.h"
#include "sys.h"

/* settle() - tell all that is to be told; -1, a time to wait in ms, or STATUS_FAILED in @status */
static int settle(struct front *front, struct tell *tell, int *status)
{
	struct front_request request;
	enum front_answer answer;
	int wait_ms, err;

	/* While a command runs, the screen goes on: what is told then is the newest. */
	while (tell->running < 0) {
		wait_ms = front_next(front, sys_now_us() / 1000, &request);
		if (wait_ms)
			return wait_ms;
		err = tell_send(tell, &request, &answer);
		if (err < 0)
			*status = STATUS_FAILED;
		if (err)
			return -1;
		front_answer(front, &request, answer);
	}
	return -1;
}

/**
 * loop_run() - until the display is gone
 * @display: where to look
 * @tell: of tell_begin()
 *
 * Return: the exit status.
 */
int loop_run(const struct display *display, struct tell *tell)
{
	struct front front = { .want = "" };
	char name[FRONT_NAME];
	int wait_ms, status = 0;

	for (;;) {
		struct pollfd fds[2] = { { .fd = display->fd, .events = POLLIN } };

		if (display->take(display->arg, name))
			return STATUS_FAILED;
		front_event(&front, name, sys_now_us() / 1000);
		wait_ms = settle(&front, tell, &status);
		if (status)
			return status;
		fds[1].fd = tell->running;
		fds[1].events = POLLIN;
		if (poll(fds, 2, wait_ms) < 0 && errno != EINTR) {
			warn("cannot wait");
			return STATUS_FAILED;
		}
		if (fds[1].revents)
			front_answer(&front, &tell->request, tell_end(tell));
	}
}
