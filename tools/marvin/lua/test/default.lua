-- SPDX-License-Identifier: GPL-2.0
--
-- A program that opens nothing. Argument: saved or unsaved, what they are to be.
local tap = require "tap"
local marvin = require "marvin"

tap.case("objects without marvin.open", function()
	local objects = {}
	for i = 1, 20 do
		objects[i] = marvin.bytes(10000)
		objects[i][1] = i
	end
	for _ = 1, 6 do assert(marvin.tick() == (arg[1] == "saved" or nil)) end
	marvin.drop()
	for i = 1, 20 do assert(objects[i][1] == i) end
	tap.fails("marvin is open already", marvin.open)
	assert((marvin.stats().written > 0) == (arg[1] == "saved"), marvin.stats().written)
	assert(marvin.info().saves == (arg[1] == "saved"))
end)
tap.finish()
