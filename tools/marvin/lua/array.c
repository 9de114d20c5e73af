// SPDX-License-Identifier: GPL-2.0

#include <stdint.h>
#include <string.h>
#include "array.h"
#include "bounds.h"
#include "number.h"
#include "object.h"
#include "text.h"

struct array {
	struct object object;
	size_t n;
};

enum { BYTES, F64, I32, KINDS };

static const struct kind kinds[KINDS] = {
	[BYTES] = { "marvin.bytes", object_fini_own }, [F64] = { "marvin.f64", object_fini_own },
	[I32] = { "marvin.i32", object_fini_own },
};

static const size_t sizes[KINDS] = { [BYTES] = 1, [F64] = sizeof(double), [I32] = sizeof(int32_t) };

union element {
	uint8_t byte;
	double f64;
	int32_t i32;
};

/* array_at() - an argument of any of these types; *@type is which one */
static struct array *array_at(lua_State *L, int index, int *type)
{
	struct array *array = lua_touserdata(L, index);
	int i;

	for (i = 0; i < KINDS; i++) {
		*type = i;
		if (array && lua_rawlen(L, index) >= sizeof(*array) &&
		    array->object.kind == &kinds[i])
			return array;
	}
	luaL_typeerror(L, index, "marvin.bytes, f64 or i32");
	return NULL;
}

/* open_at() - one that is not closed */
static struct array *open_at(lua_State *L, int index, int *type)
{
	struct array *array = array_at(L, index, type);

	if (!array->object.stub.word)
		object_fail(L, EINVAL);
	return array;
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

static inline void push(lua_State *L, union element element, int type)
{
	if (type == F64)
		lua_pushnumber(L, element.f64);
	else if (type == I32)
		lua_pushinteger(L, element.i32);
	else
		lua_pushinteger(L, element.byte);
}

/* get() - onto the stack, from 0 on */
static inline void get(lua_State *L, struct array *array, size_t nr, int type)
{
	union element element;
	const void *at;

	marvin_enter();
	at = marvin_read(&array->object.stub);
	if (__builtin_expect(!at, 0)) {
		marvin_leave();
		object_fail(L, errno);
	}
	if (type == F64)
		element.f64 = ((const double *)at)[nr];
	else if (type == I32)
		element.i32 = ((const int32_t *)at)[nr];
	else
		element.byte = ((const uint8_t *)at)[nr];
	marvin_leave();
	push(L, element, type);
}

static inline void set(lua_State *L, struct array *array, size_t nr, union element element,
		       int type)
{
	void *at;

	marvin_enter();
	at = marvin_write(&array->object.stub);
	if (__builtin_expect(!at, 0)) {
		marvin_leave();
		object_fail(L, errno);
	}
	if (type == F64)
		((double *)at)[nr] = element.f64;
	else if (type == I32)
		((int32_t *)at)[nr] = element.i32;
	else
		((uint8_t *)at)[nr] = element.byte;
	marvin_leave();
}

/* __index: upvalue 1 is the table of methods */
static inline int index_of(lua_State *L, int type)
{
	struct array *array = object_at(L, 1, &kinds[type]);
	lua_Integer i;

	if (lua_type(L, 2) != LUA_TNUMBER) {
		lua_settop(L, 2);
		lua_rawget(L, lua_upvalueindex(1));
		return 1;
	}
	i = bounds_number(L, 2);
	if (!bounds_hold(i, array->n))
		return bounds_miss(L, i, array->n);
	get(L, array, (size_t)i - 1, type);
	return 1;
}

static inline int newindex_of(lua_State *L, int type)
{
	struct array *array = object_at(L, 1, &kinds[type]);
	lua_Integer i = bounds_number(L, 2);

	if (!bounds_hold(i, array->n))
		bounds_error(L, i, array->n);
	set(L, array, (size_t)i - 1, take(L, 3, type), type);
	return 0;
}

static int bytes_index(lua_State *L)
{
	return index_of(L, BYTES);
}

static int f64_index(lua_State *L)
{
	return index_of(L, F64);
}

static int i32_index(lua_State *L)
{
	return index_of(L, I32);
}

static int bytes_newindex(lua_State *L)
{
	return newindex_of(L, BYTES);
}

static int f64_newindex(lua_State *L)
{
	return newindex_of(L, F64);
}

static int i32_newindex(lua_State *L)
{
	return newindex_of(L, I32);
}

static int length(lua_State *L)
{
	int type;

	lua_pushinteger(L, (lua_Integer)open_at(L, 1, &type)->n);
	return 1;
}

static int print(lua_State *L)
{
	int type;
	struct array *array = array_at(L, 1, &type);

	return object_print(L, &array->object, &array->object.stub, array->n);
}

static int close_it(lua_State *L)
{
	int type;
	struct array *array = array_at(L, 1, &type);

	object_end(&array->object);
	return 0;
}

static int next(lua_State *L)
{
	int type;
	struct array *array = array_at(L, 1, &type);
	lua_Integer i = bounds_next(luaL_checkinteger(L, 2));

	if (!bounds_hold(i, array->n)) {
		lua_pushnil(L);
		return 1;
	}
	lua_pushinteger(L, i);
	get(L, array, (size_t)i - 1, type);
	return 2;
}

static int pairs(lua_State *L)
{
	int type;

	open_at(L, 1, &type);
	lua_pushcfunction(L, next);
	lua_pushvalue(L, 1);
	lua_pushinteger(L, 0);
	return 3;
}

static int fill(lua_State *L)
{
	int type;
	struct array *array = array_at(L, 1, &type);
	union element element = take(L, 2, type);
	size_t i;
	void *at;

	marvin_enter();
	at = marvin_write(&array->object.stub);
	for (i = 0; at && type == F64 && i < array->n; i++)
		((double *)at)[i] = element.f64;
	for (i = 0; at && type == I32 && i < array->n; i++)
		((int32_t *)at)[i] = element.i32;
	if (at && type == BYTES)
		memset(at, element.byte, array->n);
	marvin_leave();
	if (!at)
		object_fail(L, errno);
	return 0;
}

/* sub(i [, j]), as string.sub() has it */
static int sub(lua_State *L)
{
	struct array *array = object_at(L, 1, &kinds[BYTES]);
	lua_Integer n = (lua_Integer)array->n, i = luaL_checkinteger(L, 2);
	lua_Integer j = luaL_optinteger(L, 3, -1);
	struct text text;
	const char *at;
	int err = 0;

	i = i > 0 ? i : !i || i < -n ? 1 : n + i + 1;
	j = j > n ? n : j >= 0 ? j : j < -n ? 0 : n + j + 1;
	j = j < i ? i - 1 : j;
	marvin_enter();
	at = marvin_read(&array->object.stub);
	if (!at)
		err = errno;
	else if (!text_take(&text, i > j ? at : at + i - 1, (size_t)(j - i + 1)))
		err = ENOMEM;
	marvin_leave();
	if (err)
		object_fail(L, err);
	text_push(L, &text);
	return 1;
}

/* set(i, string): all of it has to be in bounds */
static int set_bytes(lua_State *L)
{
	struct array *array = object_at(L, 1, &kinds[BYTES]);
	lua_Integer i = luaL_checkinteger(L, 2);
	size_t size;
	const char *from = luaL_checklstring(L, 3, &size);
	char *at;

	if (i < 1 || (lua_Unsigned)i - 1 > array->n)
		bounds_error(L, i, array->n);
	if (size > array->n - ((size_t)i - 1))
		bounds_error(L, i + (lua_Integer)size - 1, array->n);
	marvin_enter();
	at = marvin_write(&array->object.stub);
	if (at)
		memcpy(at + i - 1, from, size);
	marvin_leave();
	if (!at)
		object_fail(L, errno);
	return 0;
}

static struct array *make(lua_State *L, int type, size_t n)
{
	struct array *array = object_new(L, &kinds[type], sizeof(*array), 0);

	object_fill(L, &array->object, n ? n * sizes[type] : 1);
	array->n = n;
	return array;
}

/* make_from() - a table, or what behaves like one */
static int make_from(lua_State *L, int type)
{
	lua_Integer n = luaL_len(L, 1), i;
	struct array *array;

	if (n < 0 || (lua_Unsigned)n > SIZE_MAX / 4 / sizes[type])
		luaL_argerror(L, 1, "its length cannot be");
	array = make(L, type, (size_t)n);
	for (i = 1; i <= n; i++) {
		lua_geti(L, 1, i);
		set(L, array, (size_t)i - 1, take(L, -1, type), type);
		lua_pop(L, 1);
	}
	return 1;
}

static int new_of(lua_State *L, int type)
{
	lua_settop(L, 1);
	if (lua_istable(L, 1) || lua_isuserdata(L, 1))
		return make_from(L, type);
	make(L, type, bounds_size(L, 1, sizes[type]));
	return 1;
}

static int new_bytes(lua_State *L)
{
	struct array *array;
	const char *from;
	size_t size;

	if (lua_type(L, 1) != LUA_TSTRING)
		return new_of(L, BYTES);
	lua_settop(L, 1);
	from = lua_tolstring(L, 1, &size);
	array = make(L, BYTES, size);
	/* It is new, so it is there. */
	marvin_enter();
	memcpy(marvin_write(&array->object.stub), from, size);
	marvin_leave();
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

static const luaL_Reg methods[] = {
	{ "fill", fill }, { "close", close_it }, { NULL, NULL },
};

static const luaL_Reg bytes_methods[] = {
	{ "sub", sub }, { "set", set_bytes }, { NULL, NULL },
};

static const luaL_Reg meta[] = {
	{ "__len", length }, { "__tostring", print }, { "__pairs", pairs }, { "__gc", close_it },
	{ "__close", close_it }, { NULL, NULL },
};

/**
 * array_open() - make the types
 * @L: the state; the module's table is on top of its stack
 */
int array_open(lua_State *L)
{
	static const lua_CFunction index[KINDS] = { bytes_index, f64_index, i32_index };
	static const lua_CFunction newindex[KINDS] = { bytes_newindex, f64_newindex, i32_newindex };
	static const luaL_Reg functions[] = {
		{ "bytes", new_bytes }, { "f64", new_f64 }, { "i32", new_i32 }, { NULL, NULL },
	};
	int type;

	for (type = 0; type < KINDS; type++) {
		luaL_newmetatable(L, kinds[type].name);
		luaL_setfuncs(L, meta, 0);
		lua_newtable(L);
		luaL_setfuncs(L, methods, 0);
		if (type == BYTES)
			luaL_setfuncs(L, bytes_methods, 0);
		lua_pushcclosure(L, index[type], 1);
		lua_setfield(L, -2, "__index");
		lua_pushcfunction(L, newindex[type]);
		lua_setfield(L, -2, "__newindex");
		lua_pop(L, 1);
	}
	luaL_setfuncs(L, functions, 0);
	return 0;
}
