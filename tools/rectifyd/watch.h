/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which app is in front, by control groups: shells and compositors freeze the groups of apps at the
 * back, or give them a lower weight of the processor.
 */
#ifndef RECTIFYD_WATCH_H
#define RECTIFYD_WATCH_H

#include "config.h"

/* Time between looks without inotify: users do not feel a quarter of a second, a guess. */
#define WATCH_MS 250
/* A shell writes to several groups for one switch; after so long it has finished: a guess. */
#define WATCH_SETTLE_MS 100
/* Time between looks with inotify: the daemon wakes up once a second in any case. */
#define WATCH_IDLE_MS 1000

/* The app with the highest score so far; PURE. */
struct watch {
	char name[64];			/* "": no app */
	uint64_t score;
	bool alone;			/* no other app has the same score */
};

void watch_score(struct watch *watch, const char *name, bool frozen, uint64_t weight);
const char *watch_front(const struct watch *watch);

void watch_open(void);
int watch_fd(void);
uint32_t watch_wait_ms(uint32_t now_ms);
bool watch_look(const struct config *config, struct watch *watch);

#endif
