/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attach and detach.
 */
#ifndef ATTACH_H
#define ATTACH_H

#include <stdbool.h>
#include "device.h"
#include "spec.h"

bool attach_module(void);
int attach_try(const char *text, char *reason, size_t size);
bool attach(const struct spec *spec, struct device *made);
bool detach(const struct device *device);

#endif
