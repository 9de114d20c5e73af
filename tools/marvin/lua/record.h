/* SPDX-License-Identifier: GPL-2.0 */
/*
 * marvin.record: arrays of records, whose fields have names and types.
 */
#ifndef RECORD_H
#define RECORD_H

#include <lua.h>

int record_open(lua_State *L);

#endif
