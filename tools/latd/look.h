/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One look at the system: the figures of struct sample, from their files. What costs more is
 * read only when there is pressure, and once a second.
 */
#ifndef LATD_LOOK_H
#define LATD_LOOK_H

#include "pressure.h"
#include "rule.h"
#include "scan.h"

int look_open(void);
int look(struct sample *sample, const struct scan *scan);
int look_trigger_fd(void);
void look_close(void);

#endif
