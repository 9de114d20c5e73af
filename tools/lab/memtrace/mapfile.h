/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads the smaps file of a process, the short one where the kernel has it.
 */
#ifndef MEMTRACE_MAPFILE_H
#define MEMTRACE_MAPFILE_H

#include "smaps.h"
#include "target.h"

int mapfile_read(const struct target *target, struct smaps *smaps);
const char *mapfile_name(void);

#endif
