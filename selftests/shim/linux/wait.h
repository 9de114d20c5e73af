/* SPDX-License-Identifier: GPL-2.0 */
/* There is one thread: a condition that is false at a wait would stay false, so this aborts. */
#ifndef SHIM_LINUX_WAIT_H
#define SHIM_LINUX_WAIT_H

#include <stdlib.h>

typedef struct {
	int unused;
} wait_queue_head_t;

#define init_waitqueue_head(wq)		((void)(wq))
#define wake_up(wq)			((void)(wq))
#define wait_event(wq, condition)	do { (void)(wq); if (!(condition)) abort(); } while (0)
#define wait_event_timeout(wq, condition, timeout)	((void)(wq), (condition) ? 1 : (abort(), 0))

#endif /* SHIM_LINUX_WAIT_H */
