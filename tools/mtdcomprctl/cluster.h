/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vm.page-cluster: how many pages the kernel reads from swap at once. The registry of
 * the daemons keeps the old value while there is swap on a compressed MTD.
 */
#ifndef CLUSTER_H
#define CLUSTER_H

/* Our owner's name in the registry. */
#define CLUSTER_OWNER "/run/mtdcomprctl"
#define CLUSTER_MAX 31
#define CLUSTER_KEEP (-1)

int cluster_set(int wanted);
int cluster_restore(void);

#endif
