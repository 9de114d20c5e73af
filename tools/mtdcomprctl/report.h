/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The statistics of a device for people: figures with units and explanations.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include "device.h"

void report_print(FILE *out, const struct device *device, bool bytes);
void report_json(FILE *out, const struct device *device, bool first);
const char *report_state(const char *state);

#endif
