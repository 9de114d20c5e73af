/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a record of swap-outs says. PURE.
 */
#ifndef PROSWAPD_MONITOR_RECORD_H
#define PROSWAPD_MONITOR_RECORD_H

#include <stdint.h>
#include "monitor.h"
#include "monitor_arith.h"

/* Called for each record of a process, which has a slot. */
typedef void (*monitor_record_fn)(unsigned int slot, uint64_t vpn,
				  const struct monitor_record *record, void *arg);

uint32_t monitor_record_age(const struct monitor_record *record, uint64_t now_us);
void monitor_record_page(const struct monitor_record *record, uint64_t vpn, uint64_t now_us,
			 struct monitor_page *page);

#endif
