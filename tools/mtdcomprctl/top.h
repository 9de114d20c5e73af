/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Print the devices again and again.
 */
#ifndef TOP_H
#define TOP_H

#include <stdbool.h>
#include "device.h"
#include "options.h"

bool top_run(const struct devices *first, const struct options *options);

#endif
