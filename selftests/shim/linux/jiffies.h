/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_JIFFIES_H
#define SHIM_LINUX_JIFFIES_H

/* The test's clock, which it defines. It stands still but where the test moves it. */
extern unsigned long shim_jiffies;

#define jiffies	shim_jiffies
#define HZ	100

#define time_after(a, b)	((long)((b) - (a)) < 0)
#define time_before(a, b)	time_after(b, a)

#endif
