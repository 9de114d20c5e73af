/* SPDX-License-Identifier: GPL-2.0 */
/*
 * marvin.bytes, marvin.f64, marvin.i32: arrays of numbers of one kind, whose length does not
 * change.
 */
#ifndef ARRAY_H
#define ARRAY_H

#include <lua.h>

int array_open(lua_State *L);

#endif
