/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which app is in front, by what a shell or a compositor does to their control groups: those at the
 * back are frozen, or have less of the processor.
 */
#ifndef RECTIFYD_WATCH_H
#define RECTIFYD_WATCH_H

#include "config.h"

/* From look to look. */
#define WATCH_MS 250

/* The app with the most so far; PURE. */
struct watch {
	char name[64];			/* "": there is none */
	uint64_t score;
	bool alone;			/* no other one has as much */
};

void watch_score(struct watch *watch, const char *name, bool frozen, uint64_t weight);
const char *watch_front(const struct watch *watch);

bool watch_look(const struct config *config, struct watch *watch);

#endif
