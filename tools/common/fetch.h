/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Brings a process's anonymous memory back from swap. MADV_WILLNEED would not do: it reads pages
 * ahead into the swap cache, where they still are the swap's.
 */
#ifndef POLICY_FETCH_H
#define POLICY_FETCH_H

#include <stdint.h>
#include "proc.h"

int64_t fetch_process(struct proc_id id, uint64_t limit);

#endif
