/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Before the system hibernates.
 */
#ifndef MTDC_PM_H
#define MTDC_PM_H

int mtdc_pm_init(void);
void mtdc_pm_exit(void);

#endif /* MTDC_PM_H */
