/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SWAP_H
#define SHIM_LINUX_SWAP_H

#define SWAP_CLUSTER_MAX	32UL

#endif
