/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mode auto: looks at the processes, and moves what the rules choose.
 */
#ifndef PROSWAPD_AUTOMATIC_H
#define PROSWAPD_AUTOMATIC_H

#include "config.h"

/* The monitor records one of so many adjacent pages. */
#define AUTOMATIC_EVERY 8
/* Time between looks while the system does not swap; a wake-up per second is allowed at rest. */
#define AUTOMATIC_IDLE_MS 1000

void automatic_begin(void);
uint32_t automatic_step(const struct config *config, uint32_t now_ms, bool dry_run);

#endif
