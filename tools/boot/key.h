/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The keys of a section [mtdcomprN]. PURE.
 */
#ifndef KEY_H
#define KEY_H

#include "config.h"

bool key_may_be_options(const char *key);
void key_set(struct config_device *device, const char *key, const char *value, const char **why);

#endif
