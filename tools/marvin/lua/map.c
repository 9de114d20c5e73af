// SPDX-License-Identifier: GPL-2.0

#include <sys/random.h>
#include "container.h"
#include "hashed.h"
#include "map.h"
#include "value.h"

struct map {
	struct container container;
	struct hashed hashed;
};

static const struct kind kind = { "marvin.map", container_fini };

#define FEW_PAIRS 8U
#define FEW_TEXT 64U

static inline struct map *map_at(lua_State *L, int index)
{
	return object_at(L, index, &kind);
}

static struct map *open_at(lua_State *L, int index)
{
	struct map *map = map_at(L, index);

	if (!container_stub(&map->container)->word)
		object_fail(L, EINVAL);
	return map;
}

/* look() - at a key: a float that is an integer is one. False: nil or NaN, which no key is */
static bool look(lua_State *L, int index, struct packed_value *key)
{
	lua_Integer i;

	value_look(L, index, key);
	if (key->tag == PACKED_FLOAT && lua_numbertointeger(key->number, &i) &&
	    (double)i == key->number) {
		key->tag = PACKED_INTEGER;
		key->bits = (uint64_t)i;
	}
	return key->tag != PACKED_NIL && (key->tag != PACKED_FLOAT || key->number == key->number);
}

/* A buffer to move to. */
struct next {
	struct hashed hashed;
	bool keep;			/* as many pairs, each in its place */
};

static void move(struct container *container, const void *from, void *to, void *arg)
{
	struct map *map = (struct map *)container;
	struct next *next = arg;

	if (next->keep)
		hashed_copy(&map->hashed, from, &next->hashed, to);
	else
		hashed_move(&map->hashed, from, &next->hashed, to);
	map->hashed = next->hashed;
}

/* grow() - for a text of so many bytes, and for another pair if need be */
static int grow(struct map *map, size_t text, bool more)
{
	struct next next = { .hashed = { .seed = map->hashed.seed } };
	struct packed *packed = &next.hashed.packed;

	next.keep = !more || !hashed_is_crowded(&map->hashed);
	packed->cells = next.keep ? map->hashed.packed.cells : 2 * hashed_wanted(&map->hashed);
	packed->text = packed_wanted(&map->hashed.packed, text);
	return container_replace(&map->container, packed_bytes(packed->cells, packed->text), move,
				 &next);
}

static size_t text_of(const struct packed_value *value)
{
	return value->tag == PACKED_TEXT ? value->size : 0;
}

/* What an attempt to put a pair has found. */
struct attempt {
	struct packed_value old;	/* value */
	bool added;			/* the key is new, and now there */
	bool more;			/* it is new, and there is no place, or no room for text */
	size_t text;			/* that there is to be room for */
};

/* try() - put a pair. 1: there is no room; or 0, or a negative errno */
static int try(struct map *map, const struct packed_value *key, const struct packed_value *value,
	       struct attempt *attempt)
{
	struct packed *packed = &map->hashed.packed;
	void *at = marvin_write(container_stub(&map->container));
	size_t pair;

	if (!at)
		return -errno;
	pair = hashed_find(&map->hashed, at, key);
	attempt->more = pair == HASHED_NONE;
	attempt->text = text_of(value) + (attempt->more ? text_of(key) : 0);
	if (attempt->text > packed->text - packed->used ||
	    (attempt->more && hashed_is_crowded(&map->hashed)))
		return 1;
	attempt->added = attempt->more;
	if (attempt->added)
		pair = hashed_add(&map->hashed, at, key);
	packed_get(packed, at, 2 * pair + 1, &attempt->old);
	packed_put(packed, at, 2 * pair + 1, value);
	return 0;
}

/* put() - a pair, whose references are kept. It may collect, and run finalizers */
static int put(lua_State *L, struct map *map, const struct packed_value *key,
	       const struct packed_value *value, struct attempt *attempt)
{
	bool collected = false;
	int ret;

	for (;;) {
		marvin_enter();
		ret = try(map, key, value, attempt);
		marvin_leave();
		if (ret <= 0)
			return ret;
		account_expect(L, map->container.object.account,
			       container_stub(&map->container)->bytes * 2);
		ret = grow(map, attempt->text, attempt->more);
		if (ret == -ENOMEM && !collected) {
			collected = true;
			lua_gc(L, LUA_GCCOLLECT);
		} else if (ret) {
			return ret;
		}
	}
}

static int set(lua_State *L, struct map *map, struct packed_value *key)
{
	struct attempt attempt = { .added = false };
	struct packed_value value;
	int err;

	value_look(L, 3, &value);
	value_keep(L, 1, 3, &value);
	value_keep(L, 1, 2, key);
	err = put(L, map, key, &value, &attempt);
	if (!attempt.added)
		value_forget(L, 1, key);
	value_forget(L, 1, err ? &value : &attempt.old);
	if (err)
		object_fail(L, -err);
	return 0;
}

/* take() - a pair out of the map, if it is there */
static int take(lua_State *L, struct map *map, const struct packed_value *key)
{
	struct packed_value old_key = { .tag = PACKED_NIL }, old = { .tag = PACKED_NIL };
	struct marvin_stub *stub = container_stub(&map->container);
	size_t pair = HASHED_NONE;
	const void *at;
	int err = 0;

	marvin_enter();
	at = marvin_read(stub);
	if (at)
		pair = hashed_find(&map->hashed, at, key);
	if (pair != HASHED_NONE) {
		packed_get(&map->hashed.packed, at, 2 * pair, &old_key);
		packed_get(&map->hashed.packed, at, 2 * pair + 1, &old);
		at = marvin_write(stub);
	}
	if (!at)
		err = errno;
	else if (pair != HASHED_NONE)
		hashed_remove(&map->hashed, (void *)at, pair);
	marvin_leave();
	if (err)
		object_fail(L, err);
	value_forget(L, 1, &old_key);
	value_forget(L, 1, &old);
	return 0;
}

static int newindex(lua_State *L)
{
	struct map *map = map_at(L, 1);
	struct packed_value key;

	lua_settop(L, 3);
	if (!look(L, 2, &key))
		return luaL_error(L, "index is %s", lua_isnil(L, 2) ? "nil" : "NaN");
	return lua_isnil(L, 3) ? take(L, map, &key) : set(L, map, &key);
}

static int index_it(lua_State *L)
{
	struct map *map = map_at(L, 1);
	struct value value = { .packed = { .tag = PACKED_NIL } };
	struct packed_value key;
	const void *at;
	size_t pair;
	int err = 0;

	if (!look(L, 2, &key)) {
		lua_pushnil(L);
		return 1;
	}
	marvin_enter();
	at = marvin_read(container_stub(&map->container));
	pair = at ? hashed_find(&map->hashed, at, &key) : HASHED_NONE;
	if (!at)
		err = errno;
	else if (pair != HASHED_NONE &&
		 !value_read(&map->hashed.packed, at, 2 * pair + 1, &value))
		err = ENOMEM;
	marvin_leave();
	if (err)
		object_fail(L, err);
	value_push(L, 1, &value);
	return 1;
}

/* read_pair() - the first one from *@pair on, and move on. 1: there is none */
static int read_pair(struct map *map, size_t *pair, struct value *key, struct value *value)
{
	const void *at = marvin_read(container_stub(&map->container));

	if (!at)
		return -errno;
	*pair = hashed_next(&map->hashed, at, *pair);
	if (*pair == HASHED_NONE)
		return 1;
	if (!value_read(&map->hashed.packed, at, 2 * *pair, key))
		return -ENOMEM;
	if (!value_read(&map->hashed.packed, at, 2 * *pair + 1, value)) {
		if (key->packed.tag == PACKED_TEXT)
			text_drop(&key->text);
		return -ENOMEM;
	}
	++*pair;
	return 0;
}

/* Of pairs(): upvalues are the map, and where to go on. */
static int next(lua_State *L)
{
	struct map *map = map_at(L, lua_upvalueindex(1));
	size_t pair = (size_t)lua_tointeger(L, lua_upvalueindex(2));
	struct value key, value;
	int ret;

	marvin_enter();
	ret = read_pair(map, &pair, &key, &value);
	marvin_leave();
	if (ret < 0)
		object_fail(L, -ret);
	if (ret) {
		lua_pushnil(L);
		return 1;
	}
	lua_pushinteger(L, (lua_Integer)pair);
	lua_replace(L, lua_upvalueindex(2));
	value_push(L, lua_upvalueindex(1), &key);
	value_push(L, lua_upvalueindex(1), &value);
	return 2;
}

static int pairs(lua_State *L)
{
	open_at(L, 1);
	lua_settop(L, 1);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, next, 2);
	return 1;
}

static int length(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)open_at(L, 1)->hashed.count);
	return 1;
}

static int print(lua_State *L)
{
	struct map *map = map_at(L, 1);

	return object_print(L, &map->container.object, container_stub(&map->container),
			    map->hashed.count);
}

static int close_it(lua_State *L)
{
	object_end(&map_at(L, 1)->container.object);
	return 0;
}

static uint64_t seed(const void *any)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)any;
	return seed;
}

/* marvin.map([table]) */
static int new_map(lua_State *L)
{
	struct hashed hashed = { .packed = { .cells = 2 * FEW_PAIRS, .text = FEW_TEXT } };
	struct map *map;

	lua_settop(L, 1);
	if (!lua_isnoneornil(L, 1))
		luaL_checktype(L, 1, LUA_TTABLE);
	map = object_new(L, &kind, sizeof(*map), 1);
	hashed.seed = seed(map);
	object_fill(L, &map->container.object,
		    packed_bytes(hashed.packed.cells, hashed.packed.text));
	map->hashed = hashed;
	for (lua_pushnil(L); lua_istable(L, 1) && lua_next(L, 1); lua_pop(L, 1)) {
		lua_pushvalue(L, -2);
		lua_pushvalue(L, -2);
		lua_settable(L, 2);
	}
	lua_settop(L, 2);
	return 1;
}

static const luaL_Reg meta[] = {
	{ "__index", index_it }, { "__newindex", newindex }, { "__len", length },
	{ "__tostring", print }, { "__pairs", pairs }, { "__gc", close_it },
	{ "__close", close_it }, { NULL, NULL },
};

/**
 * map_open() - make the type
 * @L: the state; the module's table is on top of its stack
 */
int map_open(lua_State *L)
{
	luaL_newmetatable(L, kind.name);
	luaL_setfuncs(L, meta, 0);
	lua_pop(L, 1);
	lua_pushcfunction(L, new_map);
	lua_setfield(L, -2, "map");
	return 0;
}
