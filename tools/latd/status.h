/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state for people and scripts: the requests of latdctl.
 */
#ifndef LATD_STATUS_H
#define LATD_STATUS_H

#include "processes.h"
#include "rules.h"
#include "verb.h"

/* latd's state from one look to the next. */
struct latd_state {
	struct rule rule;
	struct sample sample;
	struct scan scan;
	uint64_t scan_us;		/* when all processes were gone through; 0: it is time */
};

extern const struct control_verb status_verbs[];

#endif
