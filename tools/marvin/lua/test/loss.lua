-- SPDX-License-Identifier: GPL-2.0
--
-- A store that is damaged. Argument: the store, a file.
local tap = require "tap"
local marvin = require "marvin"
local case, same, fails = tap.case, tap.same, tap.fails
local path = arg[1]

marvin.open{ store = path, thread = false }

local function out()
	for _ = 1, 6 do assert(marvin.tick()) end
	marvin.drop()
end

-- Change a byte where the store has this text.
local function damage(text)
	local store = assert(io.open(path, "r+b"))
	local at = store:read("a"):find(text, 1, true)
	assert(at, "the text is not in the store")
	store:seek("set", at + 1)
	store:write("#")
	store:close()
end

local lost = "the object is lost: the store has other bytes"
local Row = marvin.record{ "bytes[20] s", "f64 x" }

-- Of each type: two objects that have the text; a read; a write.
local objects = {
	bytes = {
		make = function(text) return marvin.bytes(text:rep(200)) end,
		read = function(b, text) same(b:sub(1, #text), text) end,
		write = function(b) b[#b] = 1 end,
	},
	f64 = {
		make = function(text)
			local a = marvin.f64(1000)
			a[500] = string.unpack("<d", text)
			return a
		end,
		read = function(a, text) same(a[500], (string.unpack("<d", text))) end,
		write = function(a) a[1] = 1 end,
	},
	record = {
		make = function(text)
			local r = Row(200)
			r:set(100, "s", text)
			return r
		end,
		read = function(r, text) same(r:get(100, "s"), text) end,
		write = function(r) r:set(1, "x", 1) end,
	},
	list = {
		make = function(text)
			local l = marvin.list()
			for i = 1, 300 do l[i] = text .. i end
			return l
		end,
		read = function(l, text) same(l[7], text .. 7) end,
		write = function(l) l:append({}) end,
	},
	map = {
		make = function(text)
			local m = marvin.map()
			for i = 1, 300 do m[text .. i] = i end
			return m
		end,
		read = function(m, text) same(m[text .. 7], 7) end,
		write = function(m) m[{}] = {} end,
	},
}

for name, type in pairs(objects) do
	case(name .. ": lost is an error, and others are right", function()
		local good = type.make("GOOD-" .. name .. "-----")
		local bad = type.make("BAD-" .. name .. "------")
		out()
		damage("BAD-" .. name)
		fails(lost, type.read, bad, "BAD-" .. name .. "------")
		fails(lost, type.write, bad)
		fails(lost, type.read, bad, "BAD-" .. name .. "------")
		type.read(good, "GOOD-" .. name .. "-----")
		type.write(good)
		out()
		type.read(good, "GOOD-" .. name .. "-----")
		assert(tostring(bad):find("^marvin"))
		assert(#bad > 0)
		getmetatable(bad).__close(bad)
	end)
end

case("a store that became shorter", function()
	local b = marvin.bytes(10000)
	b[1] = 9
	out()
	assert(io.open(path, "wb")):close()
	fails("the object cannot be read from the store: ", function() return b[1] end)
	assert(not marvin.fetch())
	b = marvin.bytes(10000)
	b[1] = 8
	out()
	same(b[1], 8)
end)

case("statistics", function()
	assert(marvin.stats().broken >= 6)
end)
tap.finish()
