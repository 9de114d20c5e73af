/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does the system swap at all? While it does not, the daemon looks at no program.
 */
#ifndef PROSWAPD_TRAFFIC_H
#define PROSWAPD_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

bool traffic_since(uint64_t *last);

#endif
