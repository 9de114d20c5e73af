// SPDX-License-Identifier: GPL-2.0

#include <sys/random.h>
#include "hashed.h"
#include "map.h"
#include "object.h"
#include "value.h"

struct map {
	struct object object;
	struct hashed hashed;
};

#define FEW_PAIRS 8U
#define FEW_TEXT 64U

static inline struct map *map_at(lua_State *L, int index)
{
	return object_at(L, index, MAP);
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

/* grow() - for a text of so many bytes, and for another pair if need be */
static int grow(struct map *map, size_t text, bool more)
{
	struct hashed next = { .seed = map->hashed.seed };
	/* As many pairs stay each in its place. */
	bool keep = !more || !hashed_is_crowded(&map->hashed);
	size_t bytes;
	void *to;
	int err;

	next.packed.cells = keep ? map->hashed.packed.cells : 2 * hashed_wanted(&map->hashed);
	next.packed.text = packed_wanted(&map->hashed.packed, text);
	bytes = packed_bytes(next.packed.cells, next.packed.text);
	err = object_prepare(&map->object, bytes, &to);
	if (err)
		return err;
	(keep ? hashed_copy : hashed_move)(&map->hashed, map->object.at, &next, to);
	map->hashed = next;
	object_replace(&map->object, to, bytes);
	return 0;
}

static size_t text_of(const struct packed_value *value)
{
	return value->tag == PACKED_TEXT ? value->size : 0;
}

/* The result of try(). */
struct attempt {
	struct packed_value old;	/* value */
	bool added;			/* the key is new, and now there */
	bool more;			/* it is new, and the buffer has no room for it */
	size_t text;			/* bytes of text that the pair needs */
};

/* try() - put a pair. 1: the buffer has no room; or 0, or a negative errno */
static int try(struct map *map, const struct packed_value *key, const struct packed_value *value,
	       struct attempt *attempt)
{
	struct packed *packed = &map->hashed.packed;
	void *at = map->object.at;
	size_t pair;

	if (!*map->object.open)
		return -EINVAL;
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
	map->object.n = map->hashed.count;
	return 0;
}

/* put() - a pair, whose references are kept. It may collect, and run finalizers */
static int put(lua_State *L, struct map *map, const struct packed_value *key,
	       const struct packed_value *value, struct attempt *attempt)
{
	bool collected = false;
	int ret;

	for (;;) {
		ret = try(map, key, value, attempt);
		if (ret <= 0)
			return ret;
		collector_expect(L, &map->object.state->collector, map->object.bytes * 2);
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
	struct packed_value old_key, old;
	void *at = object_payload(L, &map->object);
	size_t pair = hashed_find(&map->hashed, at, key);

	if (pair == HASHED_NONE)
		return 0;
	packed_get(&map->hashed.packed, at, 2 * pair, &old_key);
	packed_get(&map->hashed.packed, at, 2 * pair + 1, &old);
	hashed_remove(&map->hashed, at, pair);
	map->object.n = map->hashed.count;
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

/* push() - the value of the key at @index of the stack, or nil; the map is at @container */
static void push(lua_State *L, struct map *map, int container, int index)
{
	const void *at = object_payload(L, &map->object);
	struct packed_value key, value = { .tag = PACKED_NIL };
	size_t pair = look(L, index, &key) ? hashed_find(&map->hashed, at, &key) : HASHED_NONE;

	if (pair != HASHED_NONE)
		packed_get(&map->hashed.packed, at, 2 * pair + 1, &value);
	value_push(L, container, &value);
}

static int index_it(lua_State *L)
{
	push(L, map_at(L, 1), 1, 2);
	return 1;
}

/* Of pairs(): upvalues are the map, and where to go on. */
static int next(lua_State *L)
{
	struct map *map = map_at(L, lua_upvalueindex(1));
	const void *at = object_payload(L, &map->object);
	size_t pair = hashed_next(&map->hashed, at, (size_t)lua_tointeger(L, lua_upvalueindex(2)));
	struct packed_value key;

	lua_settop(L, 0);
	if (pair == HASHED_NONE) {
		lua_pushnil(L);
		return 1;
	}
	packed_get(&map->hashed.packed, at, 2 * pair, &key);
	lua_pushinteger(L, (lua_Integer)pair + 1);
	lua_replace(L, lua_upvalueindex(2));
	value_push(L, lua_upvalueindex(1), &key);
	/* Finalizers may have run: the value is looked for. */
	push(L, map, lua_upvalueindex(1), 1);
	return 2;
}

static int pairs(lua_State *L)
{
	object_payload(L, &map_at(L, 1)->object);
	lua_settop(L, 1);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, next, 2);
	return 1;
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
	map = object_new(L, MAP, sizeof(*map), 1);
	hashed.seed = seed(map);
	object_fill(L, &map->object, packed_bytes(hashed.packed.cells, hashed.packed.text));
	map->hashed = hashed;
	for (lua_pushnil(L); lua_istable(L, 1) && lua_next(L, 1); lua_pop(L, 1)) {
		lua_pushvalue(L, -2);
		lua_pushvalue(L, -2);
		lua_settable(L, 2);
	}
	lua_settop(L, 2);
	return 1;
}

/**
 * map_open() - make the type
 * @L: the state; the module's table is on top of its stack
 */
int map_open(lua_State *L)
{
	static const luaL_Reg meta[] = {
		{ "__index", index_it }, { "__newindex", newindex }, { "__pairs", pairs },
		{ NULL, NULL },
	};

	object_open(L, MAP, meta);
	lua_pop(L, 1);
	lua_pushcfunction(L, new_map);
	lua_setfield(L, -2, "map");
	return 0;
}
