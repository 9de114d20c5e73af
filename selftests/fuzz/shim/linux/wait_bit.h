/* SPDX-License-Identifier: GPL-2.0 */
/* Nobody could end a wait: there is one thread. */
#ifndef SHIM_LINUX_WAIT_BIT_H
#define SHIM_LINUX_WAIT_BIT_H

#include <stdlib.h>

#define wait_var_event(var, cond)	do { if (!(cond)) abort(); } while (0)
#define wait_var_event_timeout(var, cond, timeout)	((void)(var))
#define wake_up_var(var)		((void)(var))

#endif
