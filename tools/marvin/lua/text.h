/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bytes on their way from a payload to a string of Lua: a copy, as Lua may raise an error where it
 * makes a string.
 */
#ifndef TEXT_H
#define TEXT_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
	size_t size;
	char *bytes;
	char few[256];
};

bool text_take(struct text *text, const void *bytes, size_t size);
void text_drop(struct text *text);
void text_push(lua_State *L, struct text *text);

#endif
