/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is memory short, of the system or of this process's control groups? Then pages grow older sooner.
 * If hardly any is left, new objects wait.
 */
#ifndef MARVIN_SHORTAGE_H
#define MARVIN_SHORTAGE_H

enum shortage { SHORTAGE_NONE, SHORTAGE_SHORT, SHORTAGE_DIRE };

/* A prefix of /proc and /sys, for tests. */
extern const char *shortage_root;

enum shortage shortage_in(const char *meminfo);
enum shortage shortage(void);
void shortage_forked(void);

#endif
