/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_NUMA_H
#define SHIM_LINUX_NUMA_H

#define NUMA_NO_NODE	(-1)

#endif
