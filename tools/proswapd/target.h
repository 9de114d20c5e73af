/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processes that are looked at, and what is known of each.
 */
#ifndef PROSWAPD_TARGET_H
#define PROSWAPD_TARGET_H

#include "activity.h"
#include "chunk.h"
#include "config.h"
#include "layout.h"
#include "proc.h"
#include "rhythm.h"
#include "window.h"

#define TARGETS 16

struct target {
	struct proc_id id;		/* pid 0: the place is free */
	char name[16];
	uid_t user;
	unsigned int slot;		/* its number */
	unsigned int domain;		/* number of the memory that it shares with others */
	uint32_t layout_ms;		/* when the layout was read */
	struct layout layout;
	struct chunk *chunks;		/* LAYOUT_CHUNKS */
	struct rhythm rhythm;
	struct window window;
	struct period_found found;	/* of its swap-outs */
	uint32_t came;			/* pages that came in, in the last look */
	uint64_t pushed;		/* pages, since the beginning */
	uint64_t fetched;
	uint64_t again;			/* pages that were pushed out too early */
	struct activity activity;
};

/* Something that happens to each process. */
typedef void (*target_fn)(struct target *target, void *arg);

void target_scan(const struct config *config, uint32_t now_ms, bool all);
void target_each(target_fn fn, void *arg);
unsigned int target_count(void);
unsigned int target_waiting(void);
int target_look(struct target *target, uint32_t now_ms);
uint64_t target_worked(struct target *target, uint32_t now_ms);
void target_drop(struct target *target);
void target_drop_all(void);

#endif
