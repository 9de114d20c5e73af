/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module: require "marvin".
 */
#ifndef MODULE_H
#define MODULE_H

#include <lua.h>

__attribute__((visibility("default"))) int luaopen_marvin(lua_State *L);

#endif
