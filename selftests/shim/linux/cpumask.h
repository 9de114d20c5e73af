/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_CPUMASK_H
#define SHIM_LINUX_CPUMASK_H

/* How many processors the driver is to see. */
extern unsigned int shim_cpus;

#define num_online_cpus()	shim_cpus

#endif
