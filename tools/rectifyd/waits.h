/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read what an app waits, from the switch to it on.
 */
#ifndef RECTIFYD_WAITS_H
#define RECTIFYD_WAITS_H

#include "app.h"
#include "costs.h"

void waits_begin(const struct config *config, struct app *app, struct costs *costs);
uint64_t waits_end(const struct config *config, struct app *app, const struct costs *begun,
		   uint64_t *io_us);

#endif
