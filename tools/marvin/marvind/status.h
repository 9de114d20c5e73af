/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state as text, and the requests of marvinctl.
 */
#ifndef MARVIND_STATUS_H
#define MARVIND_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include "config.h"

void status_answer(char *request, char *reply, const struct config *config, uint32_t now_ms,
		   bool dry_run);

#endif
