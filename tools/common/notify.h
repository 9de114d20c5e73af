/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_NOTIFY_H
#define COMMON_NOTIFY_H

#include <stdint.h>

int notify(const char *state);
void notify_watchdog(uint64_t now_us);

#endif
