// SPDX-License-Identifier: GPL-2.0

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "sys.h"
#include "watch.h"

/**
 * watch_begin() - from now on signals are events
 * @watch: the watch
 *
 * Return: 0; or a negative errno, and the reason was said.
 */
int watch_begin(struct watch *watch)
{
	sigset_t set;

	watch->ended = false;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* Who writes to one that has ended is told so by the write. */
	signal(SIGPIPE, SIG_IGN);
	watch->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watch->fd >= 0)
		return 0;
	warn("cannot wait for signals");
	return -EIO;
}

/* The next signal, if it is still there. */
static bool take_signal(struct watch *watch, enum watch_event *event)
{
	struct signalfd_siginfo info;

	if (read(watch->fd, &info, sizeof(info)) != sizeof(info))
		return false;
	watch->ended = info.ssi_signo != SIGCHLD;
	*event = watch->ended ? WATCH_END : WATCH_CHILD;
	return true;
}

/**
 * watch_wait() - wait for the next event
 * @watch: the watch
 * @fd: is it readable, or at its end? -1: there is none
 * @until_us: the time; UINT64_MAX: without end
 *
 * What @fd has is told before the end of the child that wrote it.
 *
 * Return: the event.
 */
enum watch_event watch_wait(struct watch *watch, int fd, uint64_t until_us)
{
	struct pollfd polls[] = {
		{ .fd = watch->fd, .events = POLLIN }, { .fd = fd, .events = POLLIN },
	};
	enum watch_event event;

	while (!watch->ended) {
		uint64_t now = sys_now_us(), left = until_us > now ? until_us - now : 0;
		struct timespec time = { .tv_sec = (time_t)(left / 1000000) };
		int n;

		time.tv_nsec = (long)(left % 1000000) * 1000;
		n = ppoll(polls, 2, until_us == UINT64_MAX ? NULL : &time, NULL);
		if (n == 0)
			return WATCH_TIME;
		if (n > 0 && polls[1].revents)
			return WATCH_READY;
		if (n > 0 && take_signal(watch, &event))
			return event;
	}
	return WATCH_END;
}

/**
 * watch_in_child() - signals are what they were, but those of a terminal go to the parent only
 * @watch: the watch, of which nothing is left
 */
void watch_in_child(struct watch *watch)
{
	sigset_t none;

	close(watch->fd);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
