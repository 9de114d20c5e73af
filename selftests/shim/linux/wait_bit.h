/* SPDX-License-Identifier: GPL-2.0 */
/* Who waits lets the suite do what others do meanwhile. @limited: the wait may end without them. */
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
