/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is memory short? Then objects grow older sooner. If hardly any is left, new objects wait.
 */
#ifndef MARVIN_SHORTAGE_H
#define MARVIN_SHORTAGE_H

enum shortage { SHORTAGE_NONE, SHORTAGE_SHORT, SHORTAGE_DIRE };

enum shortage shortage_in(const char *meminfo);
enum shortage shortage(void);

#endif
