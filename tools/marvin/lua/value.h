/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of Lua that are packed: nil, booleans, numbers, strings and light userdata. All others are
 * references: they are in a table that is the container's user value, where Lua's collector finds
 * them without the payload; what is packed is their number in it.
 */
#ifndef VALUE_H
#define VALUE_H

#include <lua.h>
#include "packed.h"
#include "text.h"

/* A value that was read from a payload. */
struct value {
	struct packed_value packed;
	struct text text;		/* of PACKED_TEXT */
};

void value_look(lua_State *L, int index, struct packed_value *value);
void value_keep(lua_State *L, int container, int index, struct packed_value *value);
void value_forget(lua_State *L, int container, const struct packed_value *value);
bool value_read(const struct packed *packed, const void *buffer, size_t nr, struct value *value);
void value_push(lua_State *L, int container, struct value *value);

#endif
