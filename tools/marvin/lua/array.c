// SPDX-License-Identifier: GPL-2.0

#include <string.h>
#include "array.h"
#include "number.h"
#include "object.h"

/* The types are BYTES, F64 and I32, which come first. */
#define ARRAYS (I32 + 1)

static const size_t sizes[ARRAYS] = {
	[BYTES] = 1, [F64] = sizeof(double), [I32] = sizeof(int32_t),
};

union element {
	uint8_t byte;
	double f64;
	int32_t i32;
};

static inline struct object *array_at(lua_State *L, int index)
{
	return object_among(L, index, BYTES, I32, "marvin.bytes, f64 or i32");
}

static inline int type_of(const struct object *array)
{
	return (int)(array->kind - kinds);
}

static inline union element take(lua_State *L, int index, int type)
{
	union element element;

	if (type == F64)
		element.f64 = number_f64(L, index);
	else if (type == I32)
		element.i32 = number_i32(L, index);
	else
		element.byte = number_byte(L, index);
	return element;
}

/* get() - onto the stack, from 0 on */
static inline void get(lua_State *L, const struct object *array, size_t nr)
{
	const void *at = object_payload(L, array);
	int type = type_of(array);

	if (type == F64)
		lua_pushnumber(L, ((const double *)at)[nr]);
	else if (type == I32)
		lua_pushinteger(L, ((const int32_t *)at)[nr]);
	else
		lua_pushinteger(L, ((const uint8_t *)at)[nr]);
}

/* set() - the value at @index of the stack */
static inline void set(lua_State *L, const struct object *array, size_t nr, int index)
{
	int type = type_of(array);
	union element element = take(L, index, type);
	void *at = object_payload(L, array);

	if (type == F64)
		((double *)at)[nr] = element.f64;
	else if (type == I32)
		((int32_t *)at)[nr] = element.i32;
	else
		((uint8_t *)at)[nr] = element.byte;
}

/* __index: upvalue 1 is the table of methods. An absent element is nil, as in a table. */
static int index_it(lua_State *L)
{
	struct object *array = array_at(L, 1);
	lua_Integer i;
	int good;

	if (lua_type(L, 2) != LUA_TNUMBER) {
		lua_settop(L, 2);
		lua_rawget(L, lua_upvalueindex(1));
		return 1;
	}
	i = lua_tointegerx(L, 2, &good);
	if (good && number_inside(i, array->n)) {
		get(L, array, (size_t)i - 1);
	} else {
		object_payload(L, array);
		lua_pushnil(L);
	}
	return 1;
}

static int newindex(lua_State *L)
{
	struct object *array = array_at(L, 1);

	set(L, array, number_index(L, 2, array->n), 3);
	return 0;
}

static int next(lua_State *L)
{
	struct object *array = array_at(L, 1);
	lua_Integer i = number_next(luaL_checkinteger(L, 2));

	if (!number_inside(i, array->n)) {
		lua_pushnil(L);
		return 1;
	}
	lua_pushinteger(L, i);
	get(L, array, (size_t)i - 1);
	return 2;
}

static int pairs(lua_State *L)
{
	object_payload(L, array_at(L, 1));
	lua_pushcfunction(L, next);
	lua_pushvalue(L, 1);
	lua_pushinteger(L, 0);
	return 3;
}

/* many() - elements that are going to be used: their payload, or an error */
static void *many(lua_State *L, const struct object *array, size_t nr, size_t n)
{
	size_t size = sizes[type_of(array)];
	char *at = (char *)object_payload(L, array) + nr * size;
	int err = object_check(array, at, n * size);

	if (err)
		object_fail(L, -err);
	return at;
}

static int fill(lua_State *L)
{
	struct object *array = array_at(L, 1);
	int type = type_of(array);
	union element element = take(L, 2, type);
	void *at = many(L, array, 0, array->n);
	size_t i;

	if (type == BYTES)
		memset(at, element.byte, array->n);
	for (i = 0; type == F64 && i < array->n; i++)
		((double *)at)[i] = element.f64;
	for (i = 0; type == I32 && i < array->n; i++)
		((int32_t *)at)[i] = element.i32;
	return 0;
}

/* sub(i [, j]), as string.sub() has it */
static int sub(lua_State *L)
{
	struct object *array = object_at(L, 1, BYTES);
	lua_Integer n = (lua_Integer)array->n, i = luaL_checkinteger(L, 2);
	lua_Integer j = luaL_optinteger(L, 3, -1);

	i = i > 0 ? i : !i || i < -n ? 1 : n + i + 1;
	j = j > n ? n : j >= 0 ? j : j < -n ? 0 : n + j + 1;
	if (i > j) {
		object_payload(L, array);
		lua_pushliteral(L, "");
	} else {
		lua_pushlstring(L, many(L, array, (size_t)i - 1, (size_t)(j - i + 1)),
				(size_t)(j - i + 1));
	}
	return 1;
}

/* set(i, string): all of it has to be in bounds */
static int set_bytes(lua_State *L)
{
	struct object *array = object_at(L, 1, BYTES);
	lua_Integer i = luaL_checkinteger(L, 2);
	size_t size;
	const char *from = luaL_checklstring(L, 3, &size);

	if (i < 1 || (lua_Unsigned)i - 1 > array->n)
		number_outside(L, i, array->n);
	if (size > array->n - ((size_t)i - 1))
		number_outside(L, i + (lua_Integer)size - 1, array->n);
	memcpy(many(L, array, (size_t)i - 1, size), from, size);
	return 0;
}

static struct object *make(lua_State *L, int type, size_t n)
{
	struct object *array = object_new(L, (enum object_type)type, sizeof(*array), 0);

	object_fill(L, array, n * sizes[type]);
	array->n = n;
	return array;
}

/* make_from() - a table, or what behaves like one */
static int make_from(lua_State *L, int type)
{
	lua_Integer n = luaL_len(L, 1), i;
	struct object *array;

	if (n < 0 || (lua_Unsigned)n > SIZE_MAX / 4 / sizes[type])
		luaL_argerror(L, 1, "its length cannot be");
	array = make(L, type, (size_t)n);
	for (i = 1; i <= n; i++) {
		lua_geti(L, 1, i);
		set(L, array, (size_t)i - 1, -1);
		lua_pop(L, 1);
	}
	return 1;
}

static int new_of(lua_State *L, int type)
{
	lua_settop(L, 1);
	if (lua_istable(L, 1) || lua_isuserdata(L, 1))
		return make_from(L, type);
	make(L, type, number_size(L, 1, sizes[type]));
	return 1;
}

static int new_bytes(lua_State *L)
{
	struct object *array;
	const char *from;
	size_t size;

	if (lua_type(L, 1) != LUA_TSTRING)
		return new_of(L, BYTES);
	lua_settop(L, 1);
	from = lua_tolstring(L, 1, &size);
	array = make(L, BYTES, size);
	memcpy(array->at, from, size);
	return 1;
}

static int new_f64(lua_State *L)
{
	return new_of(L, F64);
}

static int new_i32(lua_State *L)
{
	return new_of(L, I32);
}

/**
 * array_open() - make the types
 * @L: the state; the module's table is on top of its stack
 */
int array_open(lua_State *L)
{
	static const luaL_Reg meta[] = {
		{ "__newindex", newindex }, { "__pairs", pairs }, { NULL, NULL },
	};
	static const luaL_Reg methods[] = {
		{ "fill", fill }, { "close", object_close }, { NULL, NULL },
	};
	static const luaL_Reg bytes_methods[] = {
		{ "sub", sub }, { "set", set_bytes }, { NULL, NULL },
	};
	static const luaL_Reg functions[] = {
		{ "bytes", new_bytes }, { "f64", new_f64 }, { "i32", new_i32 }, { NULL, NULL },
	};
	int type;

	for (type = 0; type < ARRAYS; type++) {
		object_open(L, (enum object_type)type, meta);
		luaL_newlib(L, methods);
		if (type == BYTES)
			luaL_setfuncs(L, bytes_methods, 0);
		lua_pushcclosure(L, index_it, 1);
		lua_setfield(L, -2, "__index");
		lua_pop(L, 1);
	}
	luaL_setfuncs(L, functions, 0);
	return 0;
}
