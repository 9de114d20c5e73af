/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Suggest what to attach on this machine.
 */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <stdbool.h>
#include "device.h"
#include "options.h"

bool suggest(const struct devices *devices, const struct options *options);

#endif
