// SPDX-License-Identifier: GPL-2.0

#include "container.h"

/**
 * container_replace() - the payload by another one
 * @container: the container
 * @bytes: of the new one
 * @move: called inside, with both, after which the container is to use the new one
 * @arg: for it
 *
 * No function of Lua is called.
 *
 * Return: 0, or a negative errno: nothing has changed.
 */
int container_replace(struct container *container, size_t bytes,
		      void (*move)(struct container *container, const void *from, void *to,
				   void *arg), void *arg)
{
	struct marvin_stub *old = container_stub(container);
	struct marvin_stub *new = container->is_second ? &container->object.stub :
							 &container->second;
	const void *from;
	void *to = NULL;
	int err;

	if (!bytes)
		return -EOVERFLOW;
	if (!old->word)
		return -EINVAL;
	err = object_init(&container->object, new, bytes);
	if (err)
		return err;
	marvin_enter();
	from = marvin_read(old);
	if (from)
		to = marvin_write(new);
	err = to ? 0 : -errno;
	if (to)
		move(container, from, to, arg);
	marvin_leave();
	object_fini(&container->object, to ? old : new);
	container->is_second ^= !err;
	return err;
}

/**
 * container_fini() - free its payload, see struct kind
 * @object: a container
 */
void container_fini(struct object *object)
{
	object_fini(object, container_stub((struct container *)object));
}
