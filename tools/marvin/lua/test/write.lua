-- SPDX-License-Identifier: GPL-2.0
--
-- Each way to write to an object that has left: it leaves again, and comes back as it was written.
local tap = require "tap"
local marvin = require "marvin"
local case, same = tap.case, tap.same

marvin.open{ thread = false, road = os.getenv("MARVIN_TEST_ROAD") }

-- A page that was written again waits up to 48 ticks before it is saved.
local function out()
	for _ = 1, 60 do assert(marvin.tick()) end
	marvin.drop()
end

local Row = marvin.record{ "f64 x", "bytes[8] s" }
local One = marvin.record{ "f64 x", "bytes[3000] s" }

-- Zeroes need no store: nothing would be loaded.
local function filled(type, n)
	local a = marvin[type](n)
	a:fill(2)
	return a
end

local function rows(make, n)
	local r = make(n)
	for i = 1, n do r:set(i, "s", "text") end
	return r
end

local function list()
	local l = marvin.list()
	for i = 1, 500 do l[i] = "text " .. i end
	return l
end

local function map()
	local m = marvin.map()
	for i = 1, 500 do m[i] = "text " .. i end
	return m
end

-- Name; functions that make it, write to it, and check it afterwards.
local ways = {
	{ "f64: an element", function() return filled("f64", 1000) end,
	  function(a) a[7] = 1.5 end, function(a) return a[7] == 1.5 and a[8] == 2 end },
	{ "f64: fill", function() return filled("f64", 1000) end,
	  function(a) a:fill(3) end, function(a) return a[1] == 3 and a[1000] == 3 end },
	{ "i32: an element", function() return filled("i32", 1000) end,
	  function(a) a[7] = -1 end, function(a) return a[7] == -1 and a[8] == 2 end },
	{ "i32: fill", function() return filled("i32", 1000) end,
	  function(a) a:fill(3) end, function(a) return a[1] == 3 and a[1000] == 3 end },
	{ "bytes: an element", function() return filled("bytes", 10000) end,
	  function(b) b[7] = 255 end, function(b) return b[7] == 255 and b[8] == 2 end },
	{ "bytes: fill", function() return filled("bytes", 10000) end,
	  function(b) b:fill(9) end, function(b) return b[1] == 9 and b[10000] == 9 end },
	{ "bytes: set", function() return filled("bytes", 10000) end,
	  function(b) b:set(2990, "abc") end, function(b) return b:sub(2990, 2993) == "abc\2" end },
	{ "record: set", function() return rows(Row, 300) end,
	  function(r) r:set(300, "s", "abc") end, function(r) return r:get(300, "s") == "abc" end },
	{ "record: a field", function() return rows(One, 1) end,
	  function(p) p.x = 5 end, function(p) return p.x == 5 end },
	{ "list: a number", list,
	  function(l) l[3] = 7 end, function(l) return l[3] == 7 and l[4] == "text 4" end },
	{ "list: a string", list,
	  function(l) l[3] = "new" end, function(l) return l[3] == "new" end },
	{ "list: a reference", list,
	  function(l) l[3] = { 9 } end, function(l) return l[3][1] == 9 end },
	{ "list: nil", list,
	  function(l) l[3] = nil end, function(l) return l[3] == nil and #l == 500 end },
	{ "list: nil for the last one", list,
	  function(l) l[500] = nil l[500] = 1 l[500] = nil end,
	  function(l) return #l == 499 and l[499] == "text 499" end },
	{ "list: append", list,
	  function(l) l:append("x") end, function(l) return #l == 501 and l[501] == "x" end },
	{ "list: append until it grows", list,
	  function(l) for i = 501, 2000 do l[i] = "text " .. i end end,
	  function(l) return #l == 2000 and l[1] == "text 1" and l[2000] == "text 2000" end },
	{ "list: insert", list,
	  function(l) l:insert(1, "x") end,
	  function(l) return l[1] == "x" and l[501] == "text 500" end },
	{ "list: remove", list,
	  function(l) l:remove(1) end, function(l) return l[1] == "text 2" and #l == 499 end },
	{ "map: a value", map,
	  function(m) m[3] = "new" end, function(m) return m[3] == "new" and m[4] == "text 4" end },
	{ "map: a key", map,
	  function(m) m.x = 1 end, function(m) return m.x == 1 and #m == 501 end },
	{ "map: a reference", map,
	  function(m) m[3] = { 9 } end, function(m) return m[3][1] == 9 end },
	{ "map: nil", map,
	  function(m) m[3] = nil end, function(m) return m[3] == nil and #m == 499 end },
	{ "map: keys until it grows", map,
	  function(m) for i = 501, 2000 do m[i] = i end end,
	  function(m) return m[1] == "text 1" and m[2000] == 2000 and #m == 2000 end },
}

-- It is loaded, and nothing of it was there before.
local function comes_back(use, object)
	local loads = marvin.stats().loads
	local result = use(object)
	assert(marvin.stats().loads > loads, "nothing was loaded")
	return result
end

for _, way in ipairs(ways) do
	local what, make, write, is = table.unpack(way)
	case(what, function()
		local object = make()
		out()
		comes_back(write, object)
		out()
		assert(comes_back(is, object))
		-- A page that was only read is not written again.
		local written = marvin.stats().written
		out()
		assert(comes_back(is, object))
		same(marvin.stats().written, written, "written")
	end)
end
tap.finish()
