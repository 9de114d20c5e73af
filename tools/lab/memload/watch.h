/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waits for whatever comes first: an answer, a time, the end of a child, or a signal that ends all.
 */
#ifndef MEMLOAD_WATCH_H
#define MEMLOAD_WATCH_H

#include <stdbool.h>
#include <stdint.h>

enum watch_event {
	WATCH_READY,			/* the descriptor */
	WATCH_TIME,
	WATCH_CHILD,			/* one or more have ended */
	WATCH_END,			/* and from now on there is no other event */
};

struct watch {
	int fd;				/* of signals */
	bool ended;
};

int watch_begin(struct watch *watch);
enum watch_event watch_wait(struct watch *watch, int fd, uint64_t until_us);
void watch_in_child(struct watch *watch);

#endif
