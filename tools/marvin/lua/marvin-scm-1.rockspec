-- SPDX-License-Identifier: GPL-2.0
--
-- A rock: "luarocks --lua-version 5.4 make" in this directory, which has to be in the checkout, as
-- libmarvin is beside it.
rockspec_format = "3.0"
package = "marvin"
version = "scm-1"
source = {
	url = "git+file://.",
}
description = {
	summary = "Large data whose memory can be taken back without I/O",
	detailed = [[
Arrays of numbers, records, lists and maps, whose bytes are saved to a store ahead of time and
whose memory is given to the kernel, which takes it when it needs some. Lua's collector does not
touch them.]],
	license = "GPL-2.0",
}
dependencies = {
	"lua >= 5.4, < 5.5",
}
external_dependencies = {
	XXHASH = { header = "xxhash.h" },
}
build = {
	type = "make",
	build_variables = {
		O = "build",
		CFLAGS = "-O2 -g",
		LUA_CFLAGS = "-I$(LUA_INCDIR) -I$(XXHASH_INCDIR)",
	},
	install_variables = {
		O = "build",
		CFLAGS = "-O2 -g",
		LUA_CFLAGS = "-I$(LUA_INCDIR) -I$(XXHASH_INCDIR)",
		INSTALL_CMOD = "$(LIBDIR)",
	},
}
