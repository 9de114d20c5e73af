// SPDX-License-Identifier: GPL-2.0
/*
 * lua FILE [ARGUMENT...]: Lua 5.4 with the module in it, for a machine without shared libraries.
 */
#include <stdio.h>
#include <lauxlib.h>
#include <lualib.h>

int luaopen_marvin(struct lua_State *L);

int main(int argc, char **argv)
{
	lua_State *L = luaL_newstate();
	int i;

	if (!L || argc < 2)
		return 2;
	luaL_openlibs(L);
	luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
	lua_pushcfunction(L, luaopen_marvin);
	lua_setfield(L, -2, "marvin");
	lua_pop(L, 1);
	lua_createtable(L, argc - 2, 1);
	for (i = 1; i < argc; i++) {
		lua_pushstring(L, argv[i]);
		lua_rawseti(L, -2, i - 1);
	}
	lua_setglobal(L, "arg");
	if (luaL_loadfile(L, argv[1]) == LUA_OK) {
		for (i = 2; i < argc; i++)
			lua_pushstring(L, argv[i]);
		if (lua_pcall(L, argc - 2, 0, 0) == LUA_OK) {
			lua_close(L);
			return 0;
		}
	}
	fprintf(stderr, "%s\n", lua_tostring(L, -1));
	return 1;
}
