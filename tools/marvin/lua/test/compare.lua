-- SPDX-License-Identifier: GPL-2.0
--
-- The types and plain tables: bytes of memory, and nanoseconds for a read, a write, and a step of
-- pairs(). Each has a million elements; a map and a list of strings have 100,000. Nothing is saved.
local marvin = require "marvin"

marvin.open{ store = false }

local N <const>, M <const>, ROUNDS <const> = 1000000, 100000, 9

-- The best of some rounds, in nanoseconds for each of n.
local function best(n, run)
	local least = math.huge
	for _ = 1, ROUNDS do
		local begin = os.clock()
		run()
		least = math.min(least, os.clock() - begin)
	end
	return least / n * 1e9
end

-- Bytes of what make() returns: in Lua's heap, and as payload.
local function memory(make)
	collectgarbage()
	collectgarbage()
	local before = collectgarbage("count") * 1024 + marvin.stats().bytes
	local object = make()
	collectgarbage()
	collectgarbage()
	return object, collectgarbage("count") * 1024 + marvin.stats().bytes - before
end

local function report(name, n, make, value)
	local object, bytes = memory(make)
	local sum
	local read = best(n, function() for i = 1, n do sum = object[i] end end)
	local steps = best(n, function() for _, v in pairs(object) do sum = v end end)
	local write = best(n, function() for i = 1, n do object[i] = value end end)
	print(("%-28s %6.1f %8.1f %8.1f %8.1f"):format(name, bytes / n, read, write, steps))
end

local function number(i) return i + 0.5 end
local function integer(i) return i & 127 end

local function filled(make, write)
	return function()
		local object = make()
		for i = 1, N do object[i] = write(i) end
		return object
	end
end

-- Strings that differ, in Lua's heap or in the list.
local function texts(make)
	return function()
		local object = make()
		for i = 1, M do object[i] = ("text number %08d"):format(i) end
		return object
	end
end

print(("%-28s %6s %8s %8s %8s"):format("", "bytes", "read", "write", "pairs"))
report("table of floats", N, filled(function() return {} end, number), 1.5)
report("f64", N, filled(function() return marvin.f64(N) end, number), 1.5)
report("table of integers", N, filled(function() return {} end, integer), 7)
report("i32", N, filled(function() return marvin.i32(N) end, integer), 7)
report("bytes", N, filled(function() return marvin.bytes(N) end, integer), 7)
report("list of floats", N, filled(marvin.list, number), 1.5)
report("table of strings", M, texts(function() return {} end), "another text")
report("list of strings", M, texts(marvin.list), "another text")

-- Keys are strings; they are read through another table.
local keys = {}
for i = 1, M do keys[i] = ("key number %08d"):format(i) end

local function report_keys(name, make)
	local object, bytes = memory(function()
		local map = make()
		for i = 1, M do map[keys[i]] = i end
		return map
	end)
	local sum
	local own = best(M, function() for i = 1, M do sum = keys[i] end end)
	local read = best(M, function() for i = 1, M do sum = object[keys[i]] end end)
	local writes = best(M, function() for i = 1, M do object[keys[i]] = i end end)
	local steps = best(M, function() for _, v in pairs(object) do sum = v end end)
	print(("%-28s %6.1f %8.1f %8.1f %8.1f"):format(name, bytes / M, read - own, writes - own,
						       steps))
end

report_keys("table, keys are strings", function() return {} end)
report_keys("map, keys are strings", marvin.map)

-- Records of four fields: tables, and an array of records.
local Point = marvin.record{ "f64 x", "f64 y", "i32 id", "i32 state" }
local function report_fields(name, make, get, set)
	local object, bytes = memory(make)
	local read = best(M, function() for i = 1, M do get(object, i) end end)
	local writes = best(M, function() for i = 1, M do set(object, i) end end)
	print(("%-28s %6.1f %8.1f %8.1f %8s"):format(name, bytes / M, read, writes, "-"))
end

report_fields("table of tables, 4 fields", function()
	local t = {}
	for i = 1, M do t[i] = { x = 0.5, y = 0.5, id = i, state = 0 } end
	return t
end, function(t, i) return t[i].x end, function(t, i) t[i].x = i end)
report_fields("record, 4 fields", function() return Point(M) end,
	      function(r, i) return r:get(i, "x") end, function(r, i) r:set(i, "x", i) end)
