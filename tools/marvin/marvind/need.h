/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much is to be taken back, and from whom first. PURE.
 */
#ifndef MARVIND_NEED_H
#define MARVIND_NEED_H

#include <stdbool.h>
#include <stdint.h>
#include "config.h"

/* What the system says. */
struct need {
	uint64_t total;			/* bytes of memory; 0: not known */
	uint64_t available;
	uint64_t some_us;		/* some program has waited for memory since the last look */
	uint64_t full_us;		/* all have */
	uint64_t passed_us;		/* since the last look; 0: this is the first one */
};

uint64_t need_bytes(const struct config *config, const struct need *need);
bool need_before(bool background, uint32_t idle_ms, bool other_background, uint32_t other_idle_ms);

#endif
