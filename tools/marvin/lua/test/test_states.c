// SPDX-License-Identifier: GPL-2.0
/*
 * Lua states that come and go in a program that lives on, in several threads, while the heap's
 * thread saves: they share the heap, and leave nothing behind.
 */
#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* Finalizers run when the state is closed; some were set before the module was there. */
static const char program[] =
	"setmetatable({}, { __gc = function()\n"
	"	if marvin then state = select(2, pcall(marvin.f64, 10)) end\n"
	"	assert(not marvin or state:find('the state is closed', 1, true))\n"
	"end })\n"
	"marvin = require 'marvin'\n"
	"pcall(marvin.open, { foreground_ms = 1, background_ms = 1 })\n"
	"kept = {}\n"
	"for i = 1, 2000 do\n"
	"	local a = marvin.f64(1000)\n"
	"	a[7] = i\n"
	"	kept[i % 50] = a\n"
	"	if i > 50 then assert(kept[(i + 1) % 50][7] == i - 49) end\n"
	"end\n"
	"list, map = marvin.list(kept, marvin.bytes(5000)), marvin.map()\n"
	"for i = 1, 1000 do map['key' .. i] = list end\n"
	"setmetatable({}, { __gc = function()\n"
	"	late = { marvin.f64(1000), marvin.list(list), map }\n"
	"	late[1][5] = 5\n"
	"	late[2]:append('x')\n"
	"	for i = 1, 1000 do late[2]:append(i) end\n"
	"end })\n";

static _Atomic int wrong;

static void *work(void *arg)
{
	int i;

	for (i = 0; i < 10; i++) {
		lua_State *L = luaL_newstate();

		luaL_openlibs(L);
		if (luaL_dostring(L, program)) {
			printf("# %s\n", lua_tostring(L, -1));
			wrong++;
		}
		lua_close(L);
		/* The heap's thread has something to step on. */
		usleep(5000);
	}
	return arg;
}

int main(void)
{
	pthread_t threads[3];
	int i;

	work(NULL);
	printf("%s 1 - states that follow each other\n", wrong ? "not ok" : "ok");
	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%s 2 - states in several threads\n1..2\n", wrong ? "not ok" : "ok");
	return wrong != 0;
}
