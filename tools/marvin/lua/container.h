/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An object whose payload is replaced by another one when it is full. A stub must not move, so
 * there are two, and one of them has the payload.
 */
#ifndef CONTAINER_H
#define CONTAINER_H

#include "object.h"

struct container {
	struct object object;		/* its stub is the first one */
	struct marvin_stub second;
	bool is_second;
};

/* container_stub() - the one that has the payload */
static inline struct marvin_stub *container_stub(struct container *container)
{
	return __builtin_expect(container->is_second, 0) ? &container->second :
							   &container->object.stub;
}

int container_replace(struct container *container, size_t bytes,
		      void (*move)(struct container *container, const void *from, void *to,
				   void *arg), void *arg);
void container_fini(struct object *object);

#endif
