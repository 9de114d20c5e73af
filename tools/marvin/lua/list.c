// SPDX-License-Identifier: GPL-2.0

#include "bounds.h"
#include "container.h"
#include "list.h"
#include "value.h"

struct list {
	struct container container;
	struct packed packed;
	size_t n;			/* of its cells are in use */
};

static const struct kind kind = { "marvin.list", container_fini };

#define FEW_CELLS 8U

enum how { SET, APPEND, INSERT };

static inline struct list *list_at(lua_State *L, int index)
{
	return object_at(L, index, &kind);
}

/* open_at() - one that is not closed */
static struct list *open_at(lua_State *L, int index)
{
	struct list *list = list_at(L, index);

	if (!container_stub(&list->container)->word)
		object_fail(L, EINVAL);
	return list;
}

/* move() - to a buffer of a size that was chosen */
static void move(struct container *container, const void *from, void *to, void *arg)
{
	struct list *list = (struct list *)container;
	struct packed *next = arg;

	packed_move(&list->packed, from, next, to, list->n);
	list->packed = *next;
}

static int grow(struct list *list, const struct packed_value *value)
{
	struct packed next = { .cells = list->packed.cells };

	next.text = packed_wanted(&list->packed, value->tag == PACKED_TEXT ? value->size : 0);
	if (list->n == next.cells)
		next.cells *= 2;
	return container_replace(&list->container, packed_bytes(next.cells, next.text), move,
				 &next);
}

/*
 * make_room() - for a value, and for one more if need be. It may collect, and so run finalizers,
 * which may change the list.
 */
static int make_room(lua_State *L, struct list *list, const struct packed_value *value, bool more)
{
	struct object *object = &list->container.object;
	bool collected = false;
	int err = 0;

	while (!err && ((more && list->n == list->packed.cells) ||
			!packed_has_room(&list->packed, value))) {
		account_expect(L, object->account, container_stub(&list->container)->bytes * 2);
		err = grow(list, value);
		if (err == -ENOMEM && !collected) {
			collected = true;
			lua_gc(L, LUA_GCCOLLECT);
			err = 0;
		}
	}
	return err;
}

/* store() - a value, for which there is room; *@old is what was there */
static int store(struct list *list, size_t nr, enum how how, const struct packed_value *value,
		 struct packed_value *old)
{
	int err = 0;
	void *at;

	marvin_enter();
	at = marvin_write(container_stub(&list->container));
	if (!at) {
		err = -errno;
	} else if (nr > list->n || (nr == list->n && nr == list->packed.cells)) {
		err = -ERANGE;
	} else {
		if (how == INSERT)
			packed_insert(at, nr, list->n);
		packed_get(&list->packed, at, nr, old);
		packed_put(&list->packed, at, nr, value);
		list->n += how == INSERT || nr == list->n;
	}
	marvin_leave();
	return err;
}

/* put() - the value at @index of the stack as the list's @i-th */
static int put(lua_State *L, struct list *list, lua_Integer i, int index, enum how how)
{
	struct packed_value value, old;
	int err;

	value_look(L, index, &value);
	value_keep(L, 1, index, &value);
	err = make_room(L, list, &value, how != SET || (lua_Unsigned)i > list->n);
	if (how == APPEND)
		i = (lua_Integer)list->n + 1;
	if (!err)
		err = store(list, (size_t)i - 1, how, &value, &old);
	value_forget(L, 1, err ? &value : &old);
	if (err == -ERANGE)
		bounds_error(L, i, list->n);
	if (err)
		object_fail(L, -err);
	return 0;
}

/* get() - the @i-th onto the stack */
static void get(lua_State *L, struct list *list, lua_Integer i)
{
	struct value value;
	const void *at;
	int err = 0;

	marvin_enter();
	at = marvin_read(container_stub(&list->container));
	if (!at)
		err = errno;
	else if (!value_read(&list->packed, at, (size_t)i - 1, &value))
		err = ENOMEM;
	marvin_leave();
	if (err)
		object_fail(L, err);
	value_push(L, 1, &value);
}

/* take() - the @i-th out of the list, and onto the stack */
static void take(lua_State *L, struct list *list, lua_Integer i)
{
	struct value value;
	int err = 0;
	void *at;

	marvin_enter();
	at = marvin_write(container_stub(&list->container));
	if (!at) {
		err = errno;
	} else if (!value_read(&list->packed, at, (size_t)i - 1, &value)) {
		err = ENOMEM;
	} else {
		packed_remove(&list->packed, at, (size_t)i - 1, list->n);
		list->n--;
	}
	marvin_leave();
	if (err)
		object_fail(L, err);
	value_push(L, 1, &value);
	value_forget(L, 1, &value.packed);
}

/* __index: upvalue 1 is the table of methods */
static int index_it(lua_State *L)
{
	struct list *list = list_at(L, 1);
	lua_Integer i;

	if (lua_type(L, 2) != LUA_TNUMBER) {
		lua_settop(L, 2);
		lua_rawget(L, lua_upvalueindex(1));
		return 1;
	}
	i = bounds_number(L, 2);
	if (!bounds_hold(i, list->n))
		return bounds_miss(L, i, list->n);
	get(L, list, i);
	return 1;
}

/* As of a table: nil for the last one removes it, and for the one behind it is nothing. */
static int newindex(lua_State *L)
{
	struct list *list = list_at(L, 1);
	lua_Integer i = bounds_number(L, 2);

	if (i < 1 || (lua_Unsigned)i - 1 > list->n)
		bounds_error(L, i, list->n);
	if (!lua_isnil(L, 3) || (lua_Unsigned)i < list->n)
		return put(L, list, i, 3, SET);
	if ((lua_Unsigned)i == list->n)
		take(L, list, i);
	return 0;
}

static int append(lua_State *L)
{
	struct list *list = list_at(L, 1);

	luaL_checkany(L, 2);
	return put(L, list, 0, 2, APPEND);
}

/* insert(i, value) */
static int insert(lua_State *L)
{
	struct list *list = list_at(L, 1);
	lua_Integer i = luaL_checkinteger(L, 2);

	luaL_checkany(L, 3);
	if (i < 1 || (lua_Unsigned)i - 1 > list->n)
		bounds_error(L, i, list->n);
	return put(L, list, i, 3, INSERT);
}

/* remove([i]): the last one, if i is not given; nil, if there is none */
static int remove_it(lua_State *L)
{
	struct list *list = open_at(L, 1);
	lua_Integer i = luaL_optinteger(L, 2, (lua_Integer)list->n);

	if (!list->n && (i == 0 || i == 1)) {
		lua_pushnil(L);
		return 1;
	}
	if (!bounds_hold(i, list->n))
		bounds_error(L, i, list->n);
	take(L, list, i);
	return 1;
}

/* concat([separator [, i [, j]]]), as table.concat() has it */
static int concat(lua_State *L)
{
	struct list *list = open_at(L, 1);
	lua_Integer i = luaL_optinteger(L, 3, 1), j = luaL_optinteger(L, 4, (lua_Integer)list->n);
	size_t size;
	const char *separator = luaL_optlstring(L, 2, "", &size);
	luaL_Buffer buffer;

	luaL_buffinit(L, &buffer);
	for (; i <= j; i++) {
		if (!bounds_hold(i, list->n))
			bounds_error(L, i, list->n);
		get(L, list, i);
		if (!lua_isstring(L, -1))
			return luaL_error(L, "invalid value (at index %I) in list for 'concat'",
					  (LUAI_UACINT)i);
		luaL_addvalue(&buffer);
		if (i == j)
			break;
		luaL_addlstring(&buffer, separator, size);
	}
	luaL_pushresult(&buffer);
	return 1;
}

static int length(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)open_at(L, 1)->n);
	return 1;
}

static int print(lua_State *L)
{
	struct list *list = list_at(L, 1);

	return object_print(L, &list->container.object, container_stub(&list->container), list->n);
}

static int close_it(lua_State *L)
{
	object_end(&list_at(L, 1)->container.object);
	return 0;
}

/* What is nil is left out, as pairs() of a table does. */
static int next(lua_State *L)
{
	struct list *list = list_at(L, 1);
	lua_Integer i = bounds_next(luaL_checkinteger(L, 2));

	for (; bounds_hold(i, list->n); i++) {
		lua_settop(L, 1);
		lua_pushinteger(L, i);
		get(L, list, i);
		if (!lua_isnil(L, -1))
			return 2;
	}
	lua_pushnil(L);
	return 1;
}

static int pairs(lua_State *L)
{
	open_at(L, 1);
	lua_pushcfunction(L, next);
	lua_pushvalue(L, 1);
	lua_pushinteger(L, 0);
	return 3;
}

/* text_of() - bytes of the strings among the arguments */
static size_t text_of(lua_State *L, int n)
{
	size_t text = 0;
	int i;

	for (i = 1; i <= n; i++)
		text += lua_type(L, i) == LUA_TSTRING ? (size_t)lua_rawlen(L, i) : 0;
	return text;
}

/* marvin.list(...) */
static int new_list(lua_State *L)
{
	int n = lua_gettop(L), i;
	struct packed packed = { .cells = n > (int)FEW_CELLS ? (size_t)n : FEW_CELLS };
	struct list *list;
	size_t bytes;

	packed.text = packed_wanted(&packed, text_of(L, n));
	bytes = packed_bytes(packed.cells, packed.text);
	if (!bytes)
		object_fail(L, EOVERFLOW);
	luaL_checkstack(L, 8, NULL);
	list = object_new(L, &kind, sizeof(*list), 1);
	object_fill(L, &list->container.object, bytes);
	list->packed = packed;
	lua_insert(L, 1);
	for (i = 2; i <= n + 1; i++)
		put(L, list, 0, i, APPEND);
	lua_settop(L, 1);
	return 1;
}

static const luaL_Reg methods[] = {
	{ "append", append }, { "insert", insert }, { "remove", remove_it }, { "concat", concat },
	{ "close", close_it }, { NULL, NULL },
};

static const luaL_Reg meta[] = {
	{ "__newindex", newindex }, { "__len", length }, { "__tostring", print },
	{ "__pairs", pairs }, { "__gc", close_it }, { "__close", close_it }, { NULL, NULL },
};

/**
 * list_open() - make the type
 * @L: the state; the module's table is on top of its stack
 */
int list_open(lua_State *L)
{
	luaL_newmetatable(L, kind.name);
	luaL_setfuncs(L, meta, 0);
	luaL_newlib(L, methods);
	lua_pushcclosure(L, index_it, 1);
	lua_setfield(L, -2, "__index");
	lua_pop(L, 1);
	lua_pushcfunction(L, new_list);
	lua_setfield(L, -2, "list");
	return 0;
}
