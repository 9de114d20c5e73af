/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Make the text of the service that sets up a device at boot. PURE.
 */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include "config.h"

#define UNIT_TEXT 4096
#define UNIT_NAME 48

/* Each byte may become four; add quotes and the terminating 0. */
#define UNIT_WORD(bytes) (4 * (bytes) + 3)

void unit_name(const struct config_device *device, char *name);
bool unit_quote(const char *word, char *to, size_t size);
bool unit_text(const struct config *config, unsigned int at, const char *program,
	       unsigned int disks, char *text);

#endif
