/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which app is in front, by what a shell or a compositor does to their control groups: those at the
 * back are frozen, or have less of the processor.
 */
#ifndef RECTIFYD_WATCH_H
#define RECTIFYD_WATCH_H

#include "config.h"

/* From look to look without inotify: users do not feel a quarter of a second, a guess. */
#define WATCH_MS 250
/* A shell writes to several groups for one switch: look when it is done, a guess. */
#define WATCH_SETTLE_MS 100
/* From look to look with inotify: the daemon wakes up once a second in any case. */
#define WATCH_IDLE_MS 1000

/* The app with the most so far; PURE. */
struct watch {
	char name[64];			/* "": no app */
	uint64_t score;
	bool alone;			/* no other one has as much */
};

void watch_score(struct watch *watch, const char *name, bool frozen, uint64_t weight);
const char *watch_front(const struct watch *watch);

void watch_open(void);
int watch_fd(void);
uint32_t watch_wait_ms(uint32_t now_ms);
bool watch_look(const struct config *config, struct watch *watch);

#endif
