// SPDX-License-Identifier: GPL-2.0
/*
 * Set vm.page-cluster through the registry of the daemons (common/knob.h), because proswapd may
 * set it, too.
 */

#include <stdio.h>
#include "cluster.h"
#include "knob.h"
#include "sys.h"

#define KNOB "/proc/sys/vm/page-cluster"

static void open_registry(void)
{
	char path[SYS_PATH + 32];

	snprintf(path, sizeof(path), "%s" CLUSTER_OWNER, sys_root());
	knob_open(path);
}

/**
 * cluster_set() - set vm.page-cluster and note the old value in the registry
 * @wanted: 0 to CLUSTER_MAX, or CLUSTER_KEEP for no change
 *
 * Return: 0, or a negative errno without a change.
 */
int cluster_set(int wanted)
{
	char text[16];

	if (wanted == CLUSTER_KEEP)
		return 0;
	open_registry();
	snprintf(text, sizeof(text), "%d", wanted);
	return knob_set(KNOB, text);
}

/**
 * cluster_restore() - write the old value back unless another program has changed it since
 *
 * Return: 0, or a negative errno.
 */
int cluster_restore(void)
{
	open_registry();
	return knob_reset(KNOB);
}
