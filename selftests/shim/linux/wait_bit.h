/* SPDX-License-Identifier: GPL-2.0 */
/* The suite plays the other tasks in shim_wait(). @limited: the wait has a time-out. */
#ifndef SHIM_LINUX_WAIT_BIT_H
#define SHIM_LINUX_WAIT_BIT_H

#include <linux/types.h>

void shim_wait(bool limited);

#define wait_var_event(var, cond) do {		\
	(void)(var);				\
	while (!(cond))				\
		shim_wait(false);			\
} while (0)
#define wait_var_event_timeout(var, cond, timeout) do {	\
	(void)(var);				\
	(void)(timeout);			\
	if (!(cond))				\
		shim_wait(true);			\
} while (0)
#define wake_up_var(var)	((void)(var))

#endif
