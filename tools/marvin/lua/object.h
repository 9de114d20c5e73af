/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all types have in common: a full userdata that begins with a stub. Its payload is elsewhere,
 * and Lua's collector never touches it.
 *
 * Payload is used between marvin_enter() and marvin_leave(); no function of Lua is called there
 * that may raise an error or run other code: an error would leave the thread inside for ever.
 */
#ifndef OBJECT_H
#define OBJECT_H

#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include "account.h"
#include "marvin.h"

/* A type; its address is the proof that a userdata is one. */
struct kind {
	const char *name;		/* "marvin.f64"; also of its metatable */
	void (*fini)(struct object *object);
};

struct object {
	struct marvin_stub stub;	/* word is NULL: closed */
	const struct kind *kind;
	struct account *account;
	struct object *next;		/* in the account's list */
	struct object **link;		/* what points to it there; NULL: it is in none */
};

void *object_new(lua_State *L, const struct kind *kind, size_t size, int values);
void object_fill(lua_State *L, struct object *object, size_t bytes);
int object_init(struct object *object, struct marvin_stub *stub, size_t bytes);
void object_fini(struct object *object, struct marvin_stub *stub);
void object_end(struct object *object);
void object_fini_own(struct object *object);
int object_print(lua_State *L, const struct object *object, const struct marvin_stub *stub,
		 size_t n);
noreturn void object_wrong(lua_State *L, int index, const struct kind *kind);
noreturn void object_fail(lua_State *L, int err);

/**
 * object_at() - an argument of a type
 * @L: the state
 * @index: of the argument
 * @kind: the type
 *
 * Return: the object, which may be closed; or it raises an error.
 */
static inline void *object_at(lua_State *L, int index, const struct kind *kind)
{
	struct object *object = lua_touserdata(L, index);

	/* The length of a light userdata is 0. */
	if (!object || lua_rawlen(L, index) < sizeof(*object) || object->kind != kind)
		object_wrong(L, index, kind);
	return object;
}

#endif
