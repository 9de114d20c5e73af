/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switches controllers on for groups, and off again when latd ends.
 */
#ifndef LATD_ENABLE_H
#define LATD_ENABLE_H

int enable_below(const char *group, const char *controller);
void enable_above(const char *group, const char *controller);

#endif
