/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A visit of an app to the front: what was out before it, and what is in memory after it. What is
 * out is seen at the back, when all has gone that was to go: the app that comes does not wait for
 * that.
 */
#ifndef RECTIFYD_VISIT_H
#define RECTIFYD_VISIT_H

#include "app.h"

void visit_begin(const struct config *config, struct app *app, uint32_t now_ms, bool early);
void visit_end(struct app *app, uint32_t now_ms, bool doubt, struct usage_sums *sums);
void visit_see(struct app *app, uint32_t now_ms);

#endif
