-- SPDX-License-Identifier: GPL-2.0
--
-- A store that is damaged. Arguments: the store, a file; a type: then its use by a single element
-- ends the process.
local tap = require "tap"
local marvin = require "marvin"
local case, same, fails = tap.case, tap.same, tap.fails
local path, alone = arg[1], arg[2]

marvin.open{ store = path, thread = false, road = os.getenv("MARVIN_TEST_ROAD") }

-- A page that was written again waits up to 48 ticks before it is saved.
local function out()
	for _ = 1, 60 do assert(marvin.tick()) end
	marvin.drop()
end

-- Where the store has a text for the nth time.
local function place(text, nth)
	local store, at = assert(io.open(path, "rb")), 0
	local all = store:read("a")
	store:close()
	for _ = 1, nth do at = assert(all:find(text, at + 1, true), "the store has it not") end
	return at
end

local function put(at, byte)
	local store = assert(io.open(path, "r+b"))
	store:seek("set", at - 1)
	store:write(byte)
	store:close()
end

local lost = "the object is lost: the store has other bytes"
-- Sizes are of pages of 4 KiB; there are larger ones.
local pages <const> = marvin.info().page // 4096
local N <const> = 520 * pages
local Row = marvin.record{ "bytes[20] s", "bytes[5000] long" }

-- For each type: make: an object that has the text; nth: the text that is damaged (1); one: a use of
-- one element there; many: uses of many bytes, which are checked. Before the check they use only other
-- pages.
local types = {
	bytes = {
		make = function(text) return marvin.bytes(text:rep(500 * pages)) end,
		one = function(b) return b[1] end,
		many = { function(b) return b:sub(1) end, function(b) b:fill(0) end,
			 function(b) b:set(1, ("x"):rep(5000)) end },
	},
	f64 = {
		make = function(text)
			local a = marvin.f64(2000 * pages)
			for i = 1, #text // 8 do
				a[i] = string.unpack("<d", text, i * 8 - 7)
			end
			return a
		end,
		one = function(a) return a[1] end,
		many = { function(a) a:fill(0) end },
	},
	record = {
		make = function(text)
			local r = Row(20 * pages)
			r:set(1, "s", text:sub(1, 20))
			r:set(1, "long", text:rep(100))
			return r
		end,
		one = function(r) return r:get(1, "s") end,
		many = { function(r) return r:get(1, "long") end },
	},
	list = {
		make = function(text)
			local l = marvin.list()
			for i = 1, N do l[i] = text .. i end
			return l
		end,
		nth = N // 2,
		one = function(l) return l[N // 2] end,
		many = { function(l) l:concat() end,
			 function(l) for _ = 1, 10 * N do l:append("text") end end },
	},
	map = {
		make = function(text)
			local m = marvin.map()
			for i = 1, N do m[i] = text .. i end
			return m
		end,
		nth = N // 2,
		one = function(m) for _, v in pairs(m) do assert(v) end return m[N] end,
		many = { function(m) for i = 1, 10 * N do m[-i] = "text" end end },
	},
}

-- Makes an object, and changes a byte of it in the store; returns both. It looks for the first 16 bytes
-- of the text only: the rest may be on the next page.
local function damaged(name)
	local text = ("BAD-%-12s-%s"):format(name, ("."):rep(7))
	local object = types[name].make(text)
	out()
	local at = place(text:sub(1, 16), types[name].nth or 1)
	put(at, "#")
	return object, at
end

if alone then
	types[alone].one((damaged(alone)))
	print("it has read: " .. alone)
	os.exit(true)
end

for name, type in pairs(types) do
	case(name .. ": lost is an error, and others are right", function()
		local good = type.make("GOOD" .. name .. "------------")
		local want = type.one(good)
		-- Objects side by side share a page, and lose it together.
		local between <const> = type.make("BETWEEN" .. name .. "---------")
		local bad, at = damaged(name)
		same(marvin.check(bad), nil)
		same(select(2, marvin.check(bad)), lost)
		for _, use in ipairs(type.many) do fails(lost, use, bad) end
		same(marvin.check(good), true)
		same(type.one(good), want)
		for _, use in ipairs(type.many) do use(good) end
		assert(marvin.check(between) ~= false)
		assert(tostring(bad):find("^marvin"))
		assert(#bad > 0)
		-- It is tried again.
		put(at, "B")

		assert(marvin.check(bad))
		assert(type.one(bad) ~= nil)
		for _, use in ipairs(type.many) do use(bad) end
		debug.getmetatable(bad).__close(bad)
	end)
end

-- The program in a process of its own.
local function run(name)
	local command = {}
	for i = arg[-1] and -1 or 0, 0 do command[#command + 1] = ("'%s'"):format(arg[i]) end
	return os.execute(("ASAN_OPTIONS=$ASAN_OPTIONS:handle_sigbus=0 exec %s '%s.%s' %s 2>&1"):format(
			  table.concat(command, " "), path, name, name))
end

for name in pairs(types) do
	case(name .. ": a single element of what is lost ends the process", function()
		local _, how, number = run(name)
		same(how, "signal")
		same(number, 7)
	end)
end

case("a store that became shorter", function()
	local b = marvin.bytes(10000)
	b[1] = 9
	out()
	assert(io.open(path, "wb")):close()
	local good, why = marvin.check(b)
	same(good, nil)
	assert(why:find("^the object cannot be read from the store: "), why)
	assert(not marvin.fetch())
	b:close()
	-- Afterwards no other object has bytes in the pages of the next one.
	collectgarbage()
	collectgarbage()
	b = marvin.bytes(1 << 20)
	for i = 1, 1 << 20 do assert(b[i] == 0) end
	b[1] = 8
	out()
	same(b[1], 8)
end)

case("statistics", function()
	assert(marvin.stats().lost >= 6)
end)
tap.finish()
