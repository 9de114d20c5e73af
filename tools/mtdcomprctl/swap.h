/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Start and stop swap on a device.
 */
#ifndef SWAP_H
#define SWAP_H

#include <stdbool.h>
#include "device.h"

#define SWAP_PRIORITY 100
#define SWAP_PRIORITY_MAX 32767

struct swap_options {
	int priority;
	int discard;			/* flags of swapon() */
	int cluster;			/* vm.page-cluster, or CLUSTER_KEEP */
};

bool swap_discard(const char *policy, int *flags);
bool swap_on(const struct device *device, const struct swap_options *options);
bool swap_off(const struct device *device);

#endif
