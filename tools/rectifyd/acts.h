/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What rectifyd may do, and whether it does: by what switches cost apps with it and without.
 */
#ifndef RECTIFYD_ACTS_H
#define RECTIFYD_ACTS_H

#include "app.h"
#include "turn.h"

enum act {
	ACT_PUSH,			/* apps at the back give up pages */
	ACT_LEAN,			/* the kernel takes anonymous pages rather than files */
	ACTS,
};

/* A bit for each. */
#define ACT_BIT(act) (1u << (act))

extern const char *const acts_names[];

void acts_begin(void);
void acts_new(const struct app *app);
void acts_switch(unsigned int wanted, bool trial);
void acts_back(struct app *app, unsigned int wanted);
void acts_cost(struct app *app, uint64_t us);
bool acts_does(enum act act);
bool acts_suits(const struct app *app);
const struct turn *acts_turn(enum act act);

#endif
