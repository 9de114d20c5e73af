/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mode paper: what was accessed in a window goes out, or what was not. By DAMON, where the kernel
 * has it; else by a scan of the page tables at the end of each window.
 */
#ifndef PROSWAPD_ACCESS_H
#define PROSWAPD_ACCESS_H

#include "target.h"

enum access_kind {
	ACCESS_DAMON,
	ACCESS_SCAN,
	ACCESS_KINDS,
};

int access_begin(unsigned int wanted);
enum access_kind access_kind(void);
const char *access_name(enum access_kind kind);
void access_end(struct target *target, uint32_t begun_ms, bool dry_run);
void access_leave(unsigned int slot);
void access_aim(struct target *target, bool dry_run);

#endif
