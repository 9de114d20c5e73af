/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measures: the figures of struct sample, from their files.
 */
#ifndef LATD_MEASURE_H
#define LATD_MEASURE_H

#include "processes.h"
#include "rules.h"

int measure_open(void);
int measure_system(struct sample *sample, const struct scan *scan);
int measure_trigger_fd(void);
void measure_close(void);

#endif
