-- SPDX-License-Identifier: GPL-2.0
--
-- A store that takes no more than a part; test.sh limits the size of files. Argument: the store.
local tap = require "tap"
local marvin = require "marvin"

marvin.open{ store = arg[1], thread = false }
tap.case("what does not fit in the store stays, and is right", function()
	local objects = {}
	for i = 1, 500 do
		objects[i] = i % 2 == 0 and marvin.f64(2000) or marvin.list(("text"):rep(2000), i)
		objects[i][1] = i
	end
	local message
	for _ = 1, 8 do
		local good, why = marvin.tick()
		message = message or (not good and why)
	end
	assert(message and marvin.stats().full > 0, "the store was not full")
	tap.note("tick: %s", message)
	marvin.drop()
	for i = 1, 500 do assert(objects[i][1] == i) end
	assert(marvin.stats().loads > 0 and marvin.stats().lost == 0)
end)
tap.finish()
