/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The devices, live.
 */
#ifndef TOP_H
#define TOP_H

#include <stdbool.h>
#include "device.h"
#include "options.h"

bool top_run(const struct devices *first, const struct options *options);

#endif
