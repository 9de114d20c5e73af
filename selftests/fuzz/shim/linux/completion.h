/* SPDX-License-Identifier: GPL-2.0 */
/* There is one thread, so a wait ends at once or never. */
#ifndef SHIM_LINUX_COMPLETION_H
#define SHIM_LINUX_COMPLETION_H

#include <stdbool.h>
#include <stdlib.h>

struct completion {
	bool done;
};

static inline void init_completion(struct completion *x)
{
	x->done = false;
}

static inline void reinit_completion(struct completion *x)
{
	x->done = false;
}

static inline void complete_all(struct completion *x)
{
	x->done = true;
}

static inline bool completion_done(struct completion *x)
{
	return x->done;
}

static inline unsigned long wait_for_completion_timeout(struct completion *x, unsigned long timeout)
{
	if (!x->done)
		abort();
	return timeout;
}

#endif /* SHIM_LINUX_COMPLETION_H */
