/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tells the protected processes from those that may be touched. PURE.
 */
#ifndef LATD_ROLE_H
#define LATD_ROLE_H

#include "config.h"
#include "who.h"

enum role {
	ROLE_OTHER,			/* may be touched */
	ROLE_PROTECTED,
	ROLE_LEFT,			/* neither */
};

enum role role_of(const struct config *config, const struct candidate *process);

#endif
