/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_JIFFIES_H
#define SHIM_LINUX_JIFFIES_H

/* The test's clock, which it defines. It stands still but where the test moves it. */
extern unsigned long shim_jiffies;

#define jiffies	shim_jiffies
#define HZ	100

static inline int time_before(unsigned long a, unsigned long b)
{
	return (long)(a - b) < 0;
}

#endif
