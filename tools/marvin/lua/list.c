// SPDX-License-Identifier: GPL-2.0

#include "list.h"
#include "number.h"
#include "object.h"
#include "value.h"

struct list {
	struct object object;		/* its n: cells that are in use */
	struct packed packed;
};

#define FEW_CELLS 8U

enum how { SET, APPEND, INSERT };

static inline struct list *list_at(lua_State *L, int index)
{
	return object_at(L, index, LIST);
}

/* open_at() - one that is not closed */
static struct list *open_at(lua_State *L, int index)
{
	struct list *list = list_at(L, index);

	object_payload(L, &list->object);
	return list;
}

static int grow(struct list *list, const struct packed_value *value)
{
	struct packed next = { .cells = list->packed.cells };
	size_t bytes;
	void *to;
	int err;

	next.text = packed_wanted(&list->packed, value->tag == PACKED_TEXT ? value->size : 0);
	if (list->object.n == next.cells)
		next.cells *= 2;
	bytes = packed_bytes(next.cells, next.text);
	err = object_prepare(&list->object, bytes, &to);
	if (err)
		return err;
	packed_move(&list->packed, list->object.at, &next, to, list->object.n);
	list->packed = next;
	object_replace(&list->object, to, bytes);
	return 0;
}

/*
 * make_room() - for a value, and for one more if need be. It may collect, and so run finalizers,
 * which may change the list.
 */
static int make_room(lua_State *L, struct list *list, const struct packed_value *value, bool more)
{
	struct object *object = &list->object;
	bool collected = false;
	int err = 0;

	while (!err && ((more && object->n == list->packed.cells) ||
			!packed_has_room(&list->packed, value))) {
		collector_expect(L, &object->state->collector, object->bytes * 2);
		err = grow(list, value);
		if (err == -ENOMEM && !collected) {
			collected = true;
			lua_gc(L, LUA_GCCOLLECT);
			err = 0;
		}
	}
	return err;
}

/* store() - a value; the list has room for it. *@old: the value before */
static int store(struct list *list, size_t nr, enum how how, const struct packed_value *value,
		 struct packed_value *old)
{
	struct object *object = &list->object;

	if (!*object->open)
		return -EINVAL;
	if (nr > object->n || (nr == object->n && nr == list->packed.cells))
		return -ERANGE;
	if (how == INSERT)
		packed_insert(object->at, nr, object->n);
	packed_get(&list->packed, object->at, nr, old);
	packed_put(&list->packed, object->at, nr, value);
	object->n += how == INSERT || nr == object->n;
	return 0;
}

/* put() - the value at @index of the stack as the list's @i-th */
static int put(lua_State *L, struct list *list, lua_Integer i, int index, enum how how)
{
	struct packed_value value, old;
	int err;

	value_look(L, index, &value);
	value_keep(L, 1, index, &value);
	err = make_room(L, list, &value, how != SET || (lua_Unsigned)i > list->object.n);
	if (how == APPEND)
		i = (lua_Integer)list->object.n + 1;
	if (!err)
		err = store(list, (size_t)i - 1, how, &value, &old);
	value_forget(L, 1, err ? &value : &old);
	if (err == -ERANGE)
		number_outside(L, i, list->object.n);
	if (err)
		object_fail(L, -err);
	return 0;
}

/* get() - the @i-th onto the stack */
static void get(lua_State *L, struct list *list, lua_Integer i)
{
	struct packed_value value;

	packed_get(&list->packed, object_payload(L, &list->object), (size_t)i - 1, &value);
	value_push(L, 1, &value);
}

/* take() - the @i-th out of the list, and onto the stack */
static void take(lua_State *L, struct list *list, lua_Integer i)
{
	void *at = object_payload(L, &list->object);
	struct packed_value value;

	packed_get(&list->packed, at, (size_t)i - 1, &value);
	/* A text stays where it is until the list grows: value_push() finds it. */
	packed_remove(&list->packed, at, (size_t)i - 1, list->object.n);
	list->object.n--;
	value_push(L, 1, &value);
	value_forget(L, 1, &value);
}

/* __index: upvalue 1 is the table of methods. An absent element is nil, as in a table. */
static int index_it(lua_State *L)
{
	struct list *list = list_at(L, 1);
	lua_Integer i;
	int good;

	if (lua_type(L, 2) != LUA_TNUMBER) {
		lua_settop(L, 2);
		lua_rawget(L, lua_upvalueindex(1));
		return 1;
	}
	i = lua_tointegerx(L, 2, &good);
	if (good && number_inside(i, list->object.n)) {
		get(L, list, i);
	} else {
		object_payload(L, &list->object);
		lua_pushnil(L);
	}
	return 1;
}

/* As in a table: nil removes the last element, and does nothing to an absent one. */
static int newindex(lua_State *L)
{
	struct list *list = open_at(L, 1);
	lua_Integer i = number_key(L, 2);

	lua_settop(L, 3);
	if (lua_isnil(L, 3) && !number_inside(i, list->object.n))
		return 0;
	if (i < 1 || (lua_Unsigned)i - 1 > list->object.n)
		number_outside(L, i, list->object.n);
	if (!lua_isnil(L, 3) || (lua_Unsigned)i < list->object.n)
		return put(L, list, i, 3, SET);
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
	if (i < 1 || (lua_Unsigned)i - 1 > list->object.n)
		number_outside(L, i, list->object.n);
	return put(L, list, i, 3, INSERT);
}

/* remove([i]): the last one, if i is not given; nil, if the list is empty */
static int remove_it(lua_State *L)
{
	struct list *list = open_at(L, 1);
	size_t n = list->object.n;
	lua_Integer i = luaL_optinteger(L, 2, (lua_Integer)n);

	if (!n && (i == 0 || i == 1)) {
		lua_pushnil(L);
		return 1;
	}
	if (!number_inside(i, n))
		number_outside(L, i, n);
	take(L, list, i);
	return 1;
}

/* concat([separator [, i [, j]]]), as table.concat() has it */
static int concat(lua_State *L)
{
	struct list *list = open_at(L, 1);
	lua_Integer i = luaL_optinteger(L, 3, 1);
	lua_Integer j = luaL_optinteger(L, 4, (lua_Integer)list->object.n);
	size_t size;
	const char *separator = luaL_optlstring(L, 2, "", &size);
	int err = object_check(&list->object, list->object.at, list->object.bytes);
	luaL_Buffer buffer;

	if (err)
		object_fail(L, -err);
	luaL_buffinit(L, &buffer);
	for (; i <= j; i++) {
		if (!number_inside(i, list->object.n))
			number_outside(L, i, list->object.n);
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

/* Elements that are nil are left out, as by pairs() of a table. */
static int next(lua_State *L)
{
	struct list *list = list_at(L, 1);
	lua_Integer i = number_next(luaL_checkinteger(L, 2));

	for (; number_inside(i, list->object.n); i++) {
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
	list = object_new(L, LIST, sizeof(*list), 1);
	object_fill(L, &list->object, bytes);
	list->packed = packed;
	lua_insert(L, 1);
	for (i = 2; i <= n + 1; i++)
		put(L, list, 0, i, APPEND);
	lua_settop(L, 1);
	return 1;
}

/**
 * list_open() - make the type
 * @L: the state; the module's table is on top of its stack
 */
int list_open(lua_State *L)
{
	static const luaL_Reg methods[] = {
		{ "append", append }, { "insert", insert }, { "remove", remove_it },
		{ "concat", concat }, { "close", object_close }, { NULL, NULL },
	};
	static const luaL_Reg meta[] = {
		{ "__newindex", newindex }, { "__pairs", pairs }, { NULL, NULL },
	};

	object_open(L, LIST, meta);
	luaL_newlib(L, methods);
	lua_pushcclosure(L, index_it, 1);
	lua_setfield(L, -2, "__index");
	lua_pop(L, 1);
	lua_pushcfunction(L, new_list);
	lua_setfield(L, -2, "list");
	return 0;
}
