// SPDX-License-Identifier: GPL-2.0

#include <stdlib.h>
#include <string.h>
#include "object.h"

const struct kind kinds[TYPES] = {
	[BYTES] = { "marvin.bytes" }, [F64] = { "marvin.f64" }, [I32] = { "marvin.i32" },
	[RECORD] = { "marvin.record" }, [LIST] = { "marvin.list" }, [MAP] = { "marvin.map" },
};

static const bool closed;

/**
 * object_wrong() - an argument is of another type
 * @L: the state
 * @index: of the argument
 * @name: of the type that it should have
 */
void object_wrong(lua_State *L, int index, const char *name)
{
	luaL_typeerror(L, index, name);
	abort();
}

/**
 * object_reason() - why an object cannot be used, onto the stack
 * @L: the state
 * @err: errno
 */
void object_reason(lua_State *L, int err)
{
	switch (err) {
	case EINVAL:
		lua_pushliteral(L, "the object is closed");
		break;
	case EBADMSG:
		lua_pushliteral(L, "the object is lost: the store has other bytes");
		break;
	case ENOMEM:
		lua_pushliteral(L, "not enough memory");
		break;
	case EOVERFLOW:
		lua_pushliteral(L, "the object would be too large");
		break;
	default:
		lua_pushfstring(L, "the object cannot be read from the store: %s", strerror(err));
	}
}

/**
 * object_fail() - raise the error of a use
 * @L: the state
 * @err: errno
 */
void object_fail(lua_State *L, int err)
{
	luaL_where(L, 1);
	object_reason(L, err);
	lua_concat(L, 2);
	lua_error(L);
	abort();
}

/**
 * object_new() - an object without payload on Lua's stack
 * @L: the state
 * @type: the object gets its metatable
 * @size: of the userdata; all is 0 behind its struct object
 * @values: user values
 *
 * Return: the userdata.
 */
void *object_new(lua_State *L, enum object_type type, size_t size, int values)
{
	struct state *state = state_of(L);
	struct object *object;

	state_need(L, state);
	object = lua_newuserdatauv(L, size, values);
	memset(object, 0, size);
	object->kind = &kinds[type];
	object->open = &closed;
	object->state = state;
	luaL_setmetatable(L, kinds[type].name);
	return object;
}

static void put(struct object *object, void *at, size_t bytes)
{
	object->at = at;
	object->bytes = bytes;
	object->open = &object->state->open;
	object->state->collector.payload += bytes;
}

static void drop(struct object *object)
{
	if (!*object->open)
		return;
	object->open = &closed;
	object->state->collector.payload -= object->bytes;
	marvin_free(object->state->heap, object->at);
	object->at = NULL;
}

/**
 * object_fill() - payload for a new object, all zeroes
 * @L: the state
 * @object: of object_new()
 * @bytes: how large; 0 is as 1
 */
void object_fill(lua_State *L, struct object *object, size_t bytes)
{
	struct state *state = object->state;
	void *at;

	bytes += !bytes;
	collector_expect(L, &state->collector, bytes);
	at = marvin_new(state->heap, bytes);
	if (!at) {
		/* Garbage may have it. */
		lua_gc(L, LUA_GCCOLLECT);
		at = marvin_new(state->heap, bytes);
	}
	if (!at)
		object_fail(L, ENOMEM);
	put(object, at, bytes);
}

/**
 * object_prepare() - another payload; the caller copies the old one to it
 * @object: the object
 * @bytes: of the other one; 0: too many
 * @at: the other one, all zeroes
 *
 * Return: 0, or a negative errno.
 */
int object_prepare(struct object *object, size_t bytes, void **at)
{
	int err;

	if (!bytes)
		return -EOVERFLOW;
	if (!*object->open)
		return -EINVAL;
	err = object_check(object, object->at, object->bytes);
	if (err)
		return err;
	*at = marvin_new(object->state->heap, bytes);
	return *at ? 0 : -ENOMEM;
}

/**
 * object_replace() - the payload by another one
 * @object: the object
 * @at: of object_prepare()
 * @bytes: of it
 */
void object_replace(struct object *object, void *at, size_t bytes)
{
	drop(object);
	put(object, at, bytes);
}

/**
 * object_load() - have bytes of an object in memory, if they are not
 * @object: the object, which is open
 * @at: the first of them
 * @bytes: how many
 *
 * Return: 0, or a negative errno: they cannot be read.
 */
int object_load(const struct object *object, const void *at, size_t bytes)
{
	return marvin_prefetch(object->state->heap, at, bytes);
}

/**
 * object_close() - __gc, __close and close(): free what an object has outside of Lua
 * @L: the state; the object is at 1, and may have been closed before
 */
int object_close(lua_State *L)
{
	drop(object_any(L, 1));
	return 0;
}

static int length(lua_State *L)
{
	struct object *object = object_any(L, 1);

	object_payload(L, object);
	lua_pushinteger(L, (lua_Integer)object->n);
	return 1;
}

static int print(lua_State *L)
{
	struct object *object = object_any(L, 1);

	if (*object->open)
		lua_pushfstring(L, "%s(%I): %p", object->kind->name, (LUAI_UACINT)object->n,
				object);
	else
		lua_pushfstring(L, "%s (closed)", object->kind->name);
	return 1;
}

/**
 * object_functions() - those that all types have
 * @L: the state; the metatable is on top of its stack
 * @type: the type; getmetatable() gives its name, so that no program changes the metatable
 */
void object_functions(lua_State *L, enum object_type type)
{
	static const luaL_Reg functions[] = {
		{ "__len", length }, { "__tostring", print }, { "__gc", object_close },
		{ "__close", object_close }, { NULL, NULL },
	};

	luaL_setfuncs(L, functions, 0);
	lua_pushstring(L, kinds[type].name);
	lua_pushvalue(L, -1);
	lua_setfield(L, -3, "__name");
	lua_setfield(L, -2, "__metatable");
}

/**
 * object_open() - make the metatable of a type, on top of the stack
 * @L: the state
 * @type: the type
 * @functions: of the metatable, beside those that all types have
 */
void object_open(lua_State *L, enum object_type type, const luaL_Reg *functions)
{
	luaL_newmetatable(L, kinds[type].name);
	object_functions(L, type);
	luaL_setfuncs(L, functions, 0);
}
