/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Knobs and counters, in /sys/kernel/debug/mtdsim.
 */
#ifndef SIM_DEBUGFS_H
#define SIM_DEBUGFS_H

struct sim_dev;

void sim_debugfs_init(void);
void sim_debugfs_exit(void);
void sim_debugfs_add(struct sim_dev *dev);
void sim_debugfs_remove(struct sim_dev *dev);

#endif /* SIM_DEBUGFS_H */
