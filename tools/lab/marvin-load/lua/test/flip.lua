-- SPDX-License-Identifier: GPL-2.0
--
-- A faulty Marvin, loaded by LUA_INIT, to test that a program finds a wrong bit. MARVIN_TEST_FLIP
-- says where: in bytes that are made or set, in texts appended to a list, or in fields of a record.
-- Every tenth of these gets a wrong bit. With "lost" or "error", using bytes fails.
package.preload.marvin = function()
	local types = require "plain"
	local where, n = os.getenv("MARVIN_TEST_FLIP"), 0

	local function flip(text)
		n = n + 1
		if n % 10 ~= 0 or text == "" then return text end
		local i = #text // 2 + 1
		return text:sub(1, i - 1) .. string.char(text:byte(i) ~ 4) .. text:sub(i + 1)
	end

	local function wrap(object, name, at)
		local methods = getmetatable(object)
		local method = methods[name]
		methods[name] = function(...)
			local arguments = table.pack(...)
			local argument = arguments[at]
			if type(argument) == "string" then arguments[at] = flip(argument) end
			return method(table.unpack(arguments, 1, arguments.n))
		end
	end

	if where == "set" then wrap(types.bytes(1), "set", 3) end
	if where == "append" then wrap(types.list(), "append", 2) end
	if where == "field" then wrap(types.record{ "i32 x" }(1), "set", 4) end
	local errors = { lost = "the object is lost: the store has other bytes",
			 error = "not enough memory" }
	if errors[where] then
		getmetatable(types.bytes(1)).sub = function() error(errors[where]) end
	end
	if where == "make" then
		local make = types.bytes
		types.bytes = function(from)
			return make(type(from) == "string" and flip(from) or from)
		end
	end
	types.stats = function()
		return { bytes = 0, written = 0, given = 0, loads = 0, loaded = 0, dropped = 0 }
	end
	return types
end
