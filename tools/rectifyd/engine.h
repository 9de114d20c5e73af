/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The work of the daemon, when an app comes to the front or goes to the back, and in between.
 */
#ifndef RECTIFYD_ENGINE_H
#define RECTIFYD_ENGINE_H

#include "apps.h"
#include "plan.h"

void engine_begin(uint32_t now_ms);
void engine_reload(const struct config *config, bool dry_run);
int engine_switch(const struct config *config, const char *name, bool front, uint32_t now_ms,
		  bool dry_run);
uint32_t engine_step(const struct config *config, uint32_t now_ms);
const struct policy *engine_policy(void);
const char *engine_state(void);

#endif
