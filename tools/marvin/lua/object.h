/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An object of any type: a full userdata, whose payload is memory of the state's heap.
 * Lua's collector never touches the payload.
 *
 * A function of Lua that allocates may run finalizers, which may change or close any object. So no
 * pointer to a payload is kept over such a call. lua_pushlstring() copies the string first.
 *
 * Nothing outside points to a userdata: a program that takes its metatable away by the debug
 * library keeps its finalizer from running, and the payload is freed with the heap.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>
#include <stdnoreturn.h>
#include "state.h"

enum object_type { BYTES, F64, I32, RECORD, LIST, MAP, TYPES };

/* A type; its address is the proof that a userdata is one, whatever metatable that has. */
struct kind {
	const char *name;		/* also of its metatable */
};

extern const struct kind kinds[TYPES];

#define OBJECT_MANY 4096U		/* bytes, see object_check() */

struct object {
	const struct kind *kind;
	const bool *open;		/* false: it is closed, or its heap is */
	struct state *state;
	void *at;			/* the payload */
	size_t bytes;			/* of it */
	size_t n;			/* elements, as # has them */
};

void *object_new(lua_State *L, enum object_type type, size_t size, int values);
void object_fill(lua_State *L, struct object *object, size_t bytes);
int object_prepare(struct object *object, size_t bytes, void **at);
void object_replace(struct object *object, void *at, size_t bytes);
int object_load(const struct object *object, const void *at, size_t bytes);
void object_open(lua_State *L, enum object_type type, const luaL_Reg *functions);
void object_functions(lua_State *L, enum object_type type);
int object_close(lua_State *L);
noreturn void object_wrong(lua_State *L, int index, const char *name);
void object_reason(lua_State *L, int err);
noreturn void object_fail(lua_State *L, int err);

/**
 * object_among() - an argument of one of some types
 * @L: the state
 * @index: of the argument
 * @first: of the types
 * @last: of the types
 * @what: they are, for the error
 *
 * Return: the object, which may be closed; or it raises an error.
 */
static inline void *object_among(lua_State *L, int index, enum object_type first,
				 enum object_type last, const char *what)
{
	struct object *object = lua_touserdata(L, index);

	/* The length of a light userdata is 0. */
	if (!object || lua_rawlen(L, index) < sizeof(*object) ||
	    (uintptr_t)object->kind - (uintptr_t)&kinds[first] >
	    (uintptr_t)&kinds[last] - (uintptr_t)&kinds[first])
		object_wrong(L, index, what);
	return object;
}

/* object_at() - an argument of a type */
static inline void *object_at(lua_State *L, int index, enum object_type type)
{
	return object_among(L, index, type, type, kinds[type].name);
}

/* object_any() - an argument of any of the types */
static inline struct object *object_any(lua_State *L, int index)
{
	return object_among(L, index, BYTES, MAP, "one of marvin's types");
}

/**
 * object_payload() - what an object has
 * @L: the state
 * @object: the object
 *
 * Return: its payload; or it raises an error, if the object is closed.
 */
static inline void *object_payload(lua_State *L, const struct object *object)
{
	if (__builtin_expect(!*object->open, 0))
		object_fail(L, EINVAL);
	return object->at;
}

/**
 * object_check() - before many bytes are used: can they be read?
 * @object: the object, which is open
 * @at: the first of them
 * @bytes: how many; a check costs as much as to copy some hundred bytes, so few are not checked
 *
 * Return: 0, or a negative errno: a use would end the process by SIGBUS.
 */
static inline int object_check(const struct object *object, const void *at, size_t bytes)
{
	return bytes < OBJECT_MANY ? 0 : object_load(object, at, bytes);
}

#endif
