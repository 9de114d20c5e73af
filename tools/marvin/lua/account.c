// SPDX-License-Identifier: GPL-2.0

#include <lauxlib.h>
#include <limits.h>
#include <string.h>
#include "account.h"
#include "object.h"
#include "session.h"

/* Payload below this is no reason to collect. */
#define LITTLE (4U << 20)
/* The smallest step: each has costs of its own. */
#define STEP (8U << 10)

/* In the registry. */
static const char key;

/*
 * A state is closed: this is the first finalizer that was set, so the last one that is called. What
 * is still there was made by finalizers meanwhile: Lua frees that, but does not finalize it.
 */
static int end(lua_State *L)
{
	struct account *account = account_of(L);

	while (account->objects)
		object_end(account->objects);
	account->ended = true;
	session_leave();
	return 0;
}

/**
 * account_open() - of a state that loads the module
 * @L: the state
 */
void account_open(lua_State *L)
{
	struct account *account;

	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TUSERDATA) {
		lua_pop(L, 1);
		return;
	}
	lua_pop(L, 1);
	account = lua_newuserdatauv(L, sizeof(*account), 0);
	memset(account, 0, sizeof(*account));
	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, end);
	lua_setfield(L, -2, "__gc");
	session_join();
	lua_setmetatable(L, -2);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}

/**
 * account_of() - a state's account, which is there as long as any object
 * @L: the state
 */
struct account *account_of(lua_State *L)
{
	struct account *account;

	lua_rawgetp(L, LUA_REGISTRYINDEX, &key);
	account = lua_touserdata(L, -1);
	lua_pop(L, 1);
	return account;
}

/* A program that has stopped the collector knows why. */
static void step(lua_State *L, struct account *account, size_t bytes)
{
	uint64_t heap = (uint64_t)lua_gc(L, LUA_GCCOUNT) << 10, kib;
	uint64_t payload = account->payload > LITTLE ? account->payload : LITTLE;

	account->debt += (uint64_t)((double)bytes / (double)payload * (double)heap);
	if (account->debt < STEP)
		return;
	kib = account->debt >> 10 < INT_MAX ? account->debt >> 10 : INT_MAX;
	account->debt = 0;
	lua_gc(L, LUA_GCSTEP, (int)kib);
}

/**
 * account_expect() - before payload is made
 * @L: the state
 * @account: its account
 * @bytes: of the payload
 *
 * Context: it may collect, and so run finalizers, which may change any object.
 */
void account_expect(lua_State *L, struct account *account, size_t bytes)
{
	if (!lua_gc(L, LUA_GCISRUNNING))
		return;
	if (account->payload / 4 > account->left && account->payload / 4 > LITTLE) {
		lua_gc(L, LUA_GCCOLLECT);
		account->left = account->payload;
		account->debt = 0;
	} else {
		step(L, account, bytes);
	}
}

/**
 * account_change() - payload that was made, or freed
 * @account: of the state
 * @bytes: that an object has now
 * @before: and that it had before
 */
void account_change(struct account *account, size_t bytes, size_t before)
{
	account->payload += bytes;
	account->payload -= before;
}

/**
 * account_add() - an object that got its payload
 * @account: of the state
 * @object: the object
 */
void account_add(struct account *account, struct object *object)
{
	object->next = account->objects;
	object->link = &account->objects;
	if (object->next)
		object->next->link = &object->next;
	account->objects = object;
}

/**
 * account_remove() - an object that ends
 * @object: of account_add()
 */
void account_remove(struct object *object)
{
	if (!object->link)
		return;
	*object->link = object->next;
	if (object->next)
		object->next->link = object->link;
	object->link = NULL;
}
