/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the kernel is to lean towards anonymous pages (vm.swappiness) when it has to take some:
 * by what was read back of both kinds. PURE.
 */
#ifndef RECTIFYD_LEAN_H
#define RECTIFYD_LEAN_H

#include <stdbool.h>
#include <stdint.h>

struct lean {
	uint64_t file_us;		/* what both cost at a switch, of late */
	uint64_t anon_us;
	uint32_t rest;			/* so many switches without, */
	uint32_t next_rest;		/* and so many the next time */
	bool on;
};

void lean_begin(struct lean *lean);
bool lean_step(struct lean *lean, uint64_t file_us, uint64_t anon_us);

#endif
