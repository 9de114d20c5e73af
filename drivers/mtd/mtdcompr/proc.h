/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Statistics in procfs.
 *
 * All functions run in process context and may sleep.
 */
#ifndef MTDC_PROC_H
#define MTDC_PROC_H

struct mtdc_dev;

#ifdef CONFIG_PROC_FS
int mtdc_proc_init(void);
void mtdc_proc_exit(void);
int mtdc_proc_add(struct mtdc_dev *dev);
void mtdc_proc_remove(struct mtdc_dev *dev);
#else
static inline int mtdc_proc_init(void) { return 0; }
static inline void mtdc_proc_exit(void) { }
static inline int mtdc_proc_add(struct mtdc_dev *dev) { return 0; }
static inline void mtdc_proc_remove(struct mtdc_dev *dev) { }
#endif

#endif /* MTDC_PROC_H */
