-- SPDX-License-Identifier: GPL-2.0
--
-- A program that opens nothing. Argument: what marvin.stats().saved has to be above.
local tap = require "tap"
local marvin = require "marvin"

tap.case("objects without marvin.open", function()
	local objects = {}
	for i = 1, 20 do
		objects[i] = marvin.bytes(10000)
		objects[i][1] = i
	end
	for _ = 1, 6 do assert(marvin.tick()) end
	marvin.drop()
	for i = 1, 20 do assert(objects[i][1] == i) end
	tap.fails("marvin is open already", marvin.open)
	assert(marvin.stats().saved == tonumber(arg[1]), marvin.stats().saved)
end)
tap.finish()
