// SPDX-License-Identifier: GPL-2.0

#include <stdint.h>
#include <string.h>
#include "layout.h"
#include "number.h"
#include "object.h"
#include "record.h"

/* A type of records: a userdata, an upvalue of its functions. */
struct layout {
	size_t bytes;			/* of a record */
	size_t n;
	struct field fields[];
};

struct record {
	struct object object;
	const struct layout *layout;	/* its user value, so it is there as long */
};

#define MOST_FIELDS 1000

/* Upvalues of all functions of a type: the layout; the numbers of its fields by their names. */
#define LAYOUT lua_upvalueindex(1)
#define NAMES lua_upvalueindex(2)

static struct record *record_at(lua_State *L, int index)
{
	struct record *record = object_at(L, index, RECORD);

	if (record->layout != lua_touserdata(L, LAYOUT))
		luaL_argerror(L, index, "a record of another type");
	return record;
}

/* field_at() - by the name at @index of the stack, on which something is left */
static const struct field *field_at(lua_State *L, const struct record *record, int index)
{
	lua_Integer nr;

	lua_pushvalue(L, index);
	if (lua_rawget(L, NAMES) != LUA_TNUMBER)
		luaL_error(L, "no field \"%s\"", luaL_tolstring(L, index, NULL));
	nr = lua_tointeger(L, -1);
	return &record->layout->fields[nr - 1];
}

/* only() - fields can be had without a number only where there is one record */
static void only(lua_State *L, const struct record *record)
{
	if (record->object.n != 1)
		luaL_error(L, "there are %I records: use get(i, \"field\") and "
			   "set(i, \"field\", value)", (LUAI_UACINT)record->object.n);
}

/* length() - of a string whose end is filled with zeroes */
static size_t length_of(const char *at, size_t bytes)
{
	while (bytes && !at[bytes - 1])
		bytes--;
	return bytes;
}

/* place() - where the field of a record is */
static char *place(lua_State *L, const struct record *record, size_t nr, const struct field *field)
{
	char *at = object_payload(L, &record->object);
	int err;

	at += nr * record->layout->bytes + field->at;
	err = object_check(&record->object, at, field->bytes);
	if (err)
		object_fail(L, -err);
	return at;
}

static int get(lua_State *L, struct record *record, size_t nr, const struct field *field)
{
	const char *at = place(L, record, nr, field);
	double f64;
	int32_t i32;

	switch (field->type) {
	case FIELD_F64:
		memcpy(&f64, at, sizeof(f64));
		lua_pushnumber(L, f64);
		break;
	case FIELD_I32:
		memcpy(&i32, at, sizeof(i32));
		lua_pushinteger(L, i32);
		break;
	default:
		lua_pushlstring(L, at, length_of(at, field->bytes));
	}
	return 1;
}

/* string_at() - a value for a field of bytes */
static const char *string_at(lua_State *L, int index, const struct field *field, size_t *size)
{
	const char *string;

	if (lua_type(L, index) != LUA_TSTRING)
		luaL_error(L, "string expected, got %s", luaL_typename(L, index));
	string = lua_tolstring(L, index, size);
	if (*size > field->bytes)
		luaL_error(L, "a string of %I bytes is too long for %s, which has %I",
			   (LUAI_UACINT)*size, field->name, (LUAI_UACINT)field->bytes);
	return string;
}

/* set() - the value at @index of the stack */
static int set(lua_State *L, struct record *record, size_t nr, const struct field *field, int index)
{
	const void *from;
	size_t size;
	double f64;
	int32_t i32;
	char *at;

	if (field->type == FIELD_F64) {
		f64 = number_f64(L, index);
		from = &f64;
		size = sizeof(f64);
	} else if (field->type == FIELD_I32) {
		i32 = number_i32(L, index);
		from = &i32;
		size = sizeof(i32);
	} else {
		from = string_at(L, index, field, &size);
	}
	at = place(L, record, nr, field);
	memcpy(at, from, size);
	memset(at + size, 0, field->bytes - size);
	return 0;
}

/* r:get(i, "field") */
static int get_method(lua_State *L)
{
	struct record *record = record_at(L, 1);
	size_t nr = number_index(L, 2, record->object.n);

	lua_settop(L, 3);
	return get(L, record, nr, field_at(L, record, 3));
}

/* r:set(i, "field", value) */
static int set_method(lua_State *L)
{
	struct record *record = record_at(L, 1);
	size_t nr = number_index(L, 2, record->object.n);

	lua_settop(L, 4);
	return set(L, record, nr, field_at(L, record, 3), 4);
}

/* A name is a field's or a method's. */
static int index_it(lua_State *L)
{
	struct record *record = record_at(L, 1);

	lua_settop(L, 2);
	lua_pushvalue(L, 2);
	if (lua_type(L, 2) == LUA_TSTRING && lua_rawget(L, NAMES) == LUA_TFUNCTION)
		return 1;
	lua_settop(L, 2);
	only(L, record);
	return get(L, record, 0, field_at(L, record, 2));
}

static int newindex(lua_State *L)
{
	struct record *record = record_at(L, 1);

	only(L, record);
	lua_settop(L, 3);
	return set(L, record, 0, field_at(L, record, 2), 3);
}

/* Of pairs(): names and values, in their order. */
static int next(lua_State *L)
{
	struct record *record = record_at(L, 1);
	size_t nr = 0;

	lua_settop(L, 2);
	if (!lua_isnil(L, 2))
		nr = (size_t)(field_at(L, record, 2) - record->layout->fields) + 1;
	if (nr >= record->layout->n) {
		lua_pushnil(L);
		return 1;
	}
	lua_pushstring(L, record->layout->fields[nr].name);
	get(L, record, 0, &record->layout->fields[nr]);
	return 2;
}

static int pairs(lua_State *L)
{
	only(L, record_at(L, 1));
	lua_pushvalue(L, LAYOUT);
	lua_pushvalue(L, NAMES);
	lua_pushcclosure(L, next, 2);
	lua_pushvalue(L, 1);
	lua_pushnil(L);
	return 3;
}

/* R([n]): upvalue 3 is the metatable */
static int make(lua_State *L)
{
	const struct layout *layout = lua_touserdata(L, LAYOUT);
	struct record *record;
	size_t n;

	lua_settop(L, 1);
	n = lua_isnil(L, 1) ? 1 : number_size(L, 1, layout->bytes);
	record = object_new(L, RECORD, sizeof(*record), 1);
	record->layout = layout;
	lua_pushvalue(L, LAYOUT);
	lua_setiuservalue(L, -2, 1);
	lua_pushvalue(L, lua_upvalueindex(3));
	lua_setmetatable(L, -2);
	object_fill(L, &record->object, n * layout->bytes);
	record->object.n = n;
	return 1;
}

/* read_field() - the definition's @nr-th, from 0 on, whose text is on the stack */
static void read_field(lua_State *L, struct field *field, size_t nr)
{
	const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";

	if (!layout_read(text, field))
		luaL_error(L, "field %I: \"%s\" is not \"f64 NAME\", \"i32 NAME\" or "
			   "\"bytes[N] NAME\"", (LUAI_UACINT)nr + 1, text);
}

/* Names of fields are no names of methods: get, set, close. The table of names is on the stack. */
static void name_field(lua_State *L, const struct field *field, size_t nr)
{
	int is = lua_getfield(L, -1, field->name);

	if (is == LUA_TFUNCTION)
		luaL_error(L, "field %I: \"%s\" is a method's name", (LUAI_UACINT)nr + 1,
			   field->name);
	if (is != LUA_TNIL)
		luaL_error(L, "field %I: \"%s\" is there already", (LUAI_UACINT)nr + 1,
			   field->name);
	lua_pop(L, 1);
	lua_pushinteger(L, (lua_Integer)nr + 1);
	lua_setfield(L, -2, field->name);
}

/* read_layout() - of the table at 1. It pushes the layout, whose user value keeps the texts */
static struct layout *read_layout(lua_State *L)
{
	lua_Integer n = luaL_len(L, 1), i;
	struct layout *layout;

	luaL_argcheck(L, n > 0 && n <= MOST_FIELDS, 1, "no fields, or too many");
	layout = lua_newuserdatauv(L, sizeof(*layout) + (size_t)n * sizeof(struct field), 1);
	layout->n = (size_t)n;
	lua_createtable(L, (int)n, 0);
	for (i = 0; i < n; i++) {
		lua_geti(L, 1, i + 1);
		read_field(L, &layout->fields[i], (size_t)i);
		lua_rawseti(L, -2, i + 1);
	}
	lua_setiuservalue(L, -2, 1);
	layout->bytes = layout_place(layout->fields, layout->n);
	return layout;
}

static const luaL_Reg methods[] = {
	{ "get", get_method }, { "set", set_method }, { "close", object_close }, { NULL, NULL },
};

static const luaL_Reg meta[] = {
	{ "__index", index_it }, { "__newindex", newindex }, { "__pairs", pairs }, { NULL, NULL },
};

/* set_functions() - into the table on the stack; the layout is at 2, the names are at 3 */
static void set_functions(lua_State *L, const luaL_Reg *functions)
{
	lua_pushvalue(L, 2);
	lua_pushvalue(L, 3);
	luaL_setfuncs(L, functions, 2);
}

/* marvin.record{ "f64 x", ... } */
static int new_type(lua_State *L)
{
	struct layout *layout;
	size_t nr;

	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	layout = read_layout(L);
	lua_newtable(L);
	set_functions(L, methods);
	for (nr = 0; nr < layout->n; nr++)
		name_field(L, &layout->fields[nr], nr);
	lua_newtable(L);
	set_functions(L, meta);
	object_functions(L, RECORD);
	lua_pushcclosure(L, make, 3);
	return 1;
}

/**
 * record_open() - make the type of types
 * @L: the state; the module's table is on top of its stack
 */
int record_open(lua_State *L)
{
	lua_pushcfunction(L, new_type);
	lua_setfield(L, -2, "record");
	return 0;
}
