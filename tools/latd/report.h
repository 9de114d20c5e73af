/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The FIFO into which protected programs write their latencies, a line each. Root and one user may
 * write. A socket would not do: with a datagram a user can send a descriptor whose last close never
 * returns.
 */
#ifndef LATD_REPORT_H
#define LATD_REPORT_H

#include <sys/types.h>
#include "slo.h"

int report_open(const char *path, uid_t user);
void report_read(struct slo *slo, uint64_t now_us);
void report_close(void);

#endif
