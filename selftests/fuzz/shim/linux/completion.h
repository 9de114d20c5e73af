/* SPDX-License-Identifier: GPL-2.0 */
/* What is waited for is done already: there is one thread. */
#ifndef SHIM_LINUX_COMPLETION_H
#define SHIM_LINUX_COMPLETION_H

#include <stdbool.h>

struct completion {
	bool done;
};

static inline void init_completion(struct completion *completion)
{
	completion->done = false;
}

static inline void reinit_completion(struct completion *completion)
{
	completion->done = false;
}

static inline void complete(struct completion *completion)
{
	completion->done = true;
}

static inline unsigned long wait_for_completion_timeout(struct completion *completion,
							unsigned long timeout)
{
	return completion->done;
}

#endif /* SHIM_LINUX_COMPLETION_H */
