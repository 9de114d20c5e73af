/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The statistics of all devices for Prometheus: OpenMetrics 1.0, which the older text format of
 * node_exporter's textfile collector takes, too.
 */
#ifndef OPENMETRICS_H
#define OPENMETRICS_H

#include <stdio.h>
#include "device.h"

void openmetrics_print(FILE *out, const struct devices *devices);

#endif
