/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tell systemd that the daemon is ready, without its library.
 */
#ifndef POLICY_NOTIFY_H
#define POLICY_NOTIFY_H

#include <stdint.h>

int notify(const char *state);
void notify_watchdog(uint64_t now_us);

#endif
