/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state as text, and the requests of rectifyctl.
 */
#ifndef RECTIFYD_STATUS_H
#define RECTIFYD_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "config.h"

void status_text(char *text, size_t size, const struct config *config);
void status_answer(char *request, char *reply, const struct config *config, uint32_t now_ms,
		   bool dry_run);

#endif
