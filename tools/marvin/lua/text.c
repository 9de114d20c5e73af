// SPDX-License-Identifier: GPL-2.0

#include <stdlib.h>
#include <string.h>
#include "text.h"

/**
 * text_take() - copy bytes
 * @text: filled in; it must not move
 * @bytes: of a payload
 * @size: how many
 *
 * Context: may be inside.
 *
 * Return: false, if there is no memory.
 */
bool text_take(struct text *text, const void *bytes, size_t size)
{
	text->size = size;
	text->bytes = size > sizeof(text->few) ? malloc(size) : text->few;
	if (!text->bytes)
		return false;
	memcpy(text->bytes, bytes, size);
	return true;
}

/**
 * text_drop() - it is not needed
 * @text: of text_take()
 */
void text_drop(struct text *text)
{
	if (text->bytes != text->few)
		free(text->bytes);
	text->bytes = NULL;
}

static int push(lua_State *L)
{
	struct text *text = lua_touserdata(L, 1);

	lua_pushlstring(L, text->bytes, text->size);
	return 1;
}

/**
 * text_push() - make a string of it
 * @L: the state, which may raise an error
 * @text: of text_take(), and dropped
 */
void text_push(lua_State *L, struct text *text)
{
	int status;

	if (text->bytes == text->few) {
		lua_pushlstring(L, text->bytes, text->size);
		return;
	}
	lua_pushcfunction(L, push);
	lua_pushlightuserdata(L, text);
	status = lua_pcall(L, 1, 1, 0);
	text_drop(text);
	if (status)
		lua_error(L);
}
