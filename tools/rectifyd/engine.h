/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is done when an app comes to the front or goes to the back.
 */
#ifndef RECTIFYD_ENGINE_H
#define RECTIFYD_ENGINE_H

#include "app.h"
#include "balance.h"
#include "costs.h"

void engine_begin(uint32_t now_ms);
void engine_reload(const struct config *config, bool dry_run);
int engine_front(const struct config *config, const char *name, uint32_t now_ms, bool dry_run);
int engine_back(const struct config *config, const char *name, uint32_t now_ms);
uint32_t engine_step(const struct config *config, uint32_t now_ms);
const struct balance *engine_balance(void);
enum costs_source engine_source(void);
const char *engine_state(void);

#endif
