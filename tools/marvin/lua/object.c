// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "object.h"
#include "session.h"

/**
 * object_wrong() - an argument is of another type
 * @L: the state
 * @index: of the argument
 * @kind: the type that it should have
 */
void object_wrong(lua_State *L, int index, const struct kind *kind)
{
	luaL_typeerror(L, index, kind->name);
	abort();
}

/**
 * object_fail() - raise the error of an access
 * @L: the state
 * @err: errno
 */
void object_fail(lua_State *L, int err)
{
	switch (err) {
	case EINVAL:
		luaL_error(L, "the object is closed");
		break;
	case EBADMSG:
		luaL_error(L, "the object is lost: the store has other bytes");
		break;
	case ESTALE:
		luaL_error(L, "the object is lost: it belongs to the process that this one was "
			   "forked from");
		break;
	case ENOMEM:
		luaL_error(L, "not enough memory");
		break;
	case EOVERFLOW:
		luaL_error(L, "the object would be too large");
		break;
	default:
		luaL_error(L, "the object cannot be read from the store: %s", strerror(err));
	}
	abort();
}

/**
 * object_new() - an object without payload on Lua's stack
 * @L: the state
 * @kind: the type, whose metatable it gets
 * @size: of the userdata; all is 0 behind its struct object
 * @values: user values
 *
 * Return: the userdata.
 */
void *object_new(lua_State *L, const struct kind *kind, size_t size, int values)
{
	struct object *object;
	struct account *account = account_of(L);
	int err;

	if (account->ended)
		luaL_error(L, "the state is closed: there can be no objects");
	err = session_need();
	if (err)
		luaL_error(L, "marvin cannot begin: %s", strerror(-err));
	object = lua_newuserdatauv(L, size, values);
	memset(object, 0, size);
	object->kind = kind;
	object->account = account;
	luaL_setmetatable(L, kind->name);
	return object;
}

/**
 * object_init() - payload for a stub of an object
 * @object: the object
 * @stub: one of its stubs
 * @bytes: how large
 *
 * Return: 0, or a negative errno.
 */
int object_init(struct object *object, struct marvin_stub *stub, size_t bytes)
{
	int err = marvin_init(stub, bytes);

	if (err)
		return err;
	account_change(object->account, bytes, 0);
	return 0;
}

/**
 * object_fini() - free the payload
 * @object: the object
 * @stub: one of its stubs, which may have none
 */
void object_fini(struct object *object, struct marvin_stub *stub)
{
	if (!stub->word)
		return;
	account_change(object->account, 0, stub->bytes);
	marvin_fini(stub);
}

/**
 * object_fill() - payload for a new object
 * @L: the state
 * @object: of object_new()
 * @bytes: how large, at least 1
 */
void object_fill(lua_State *L, struct object *object, size_t bytes)
{
	int err;

	account_expect(L, object->account, bytes);
	err = object_init(object, &object->stub, bytes);
	if (err == -ENOMEM) {
		/* Garbage may have it. */
		lua_gc(L, LUA_GCCOLLECT);
		err = object_init(object, &object->stub, bytes);
	}
	if (err)
		object_fail(L, -err);
	account_add(object->account, object);
}

/**
 * object_fini_own() - of a type with one stub
 * @object: the object
 */
void object_fini_own(struct object *object)
{
	object_fini(object, &object->stub);
}

/**
 * object_end() - __gc, __close and close(): free all that it has outside of Lua
 * @object: the object, which may have ended before
 */
void object_end(struct object *object)
{
	account_remove(object);
	object->kind->fini(object);
}

/**
 * object_print() - __tostring
 * @L: the state
 * @object: the object
 * @stub: the one that it uses
 * @n: its length
 */
int object_print(lua_State *L, const struct object *object, const struct marvin_stub *stub,
		 size_t n)
{
	if (stub->word)
		lua_pushfstring(L, "%s(%I): %p", object->kind->name, (lua_Integer)n, object);
	else
		lua_pushfstring(L, "%s (closed)", object->kind->name);
	return 1;
}
