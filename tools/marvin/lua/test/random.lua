-- SPDX-License-Identifier: GPL-2.0
--
-- Graphs of objects of all types against plain tables, while objects leave the memory and come
-- back, and the collector takes a step at each allocation. Arguments: the collector's mode;
-- operations.
local tap = require "tap"
local marvin = require "marvin"
local mode, ops = arg[1] or "incremental", math.tointeger(arg[2] or 100000)
local random = tap.random

-- The road: the library chooses, or the test.
marvin.open{ thread = false, space = 256 << 20, road = os.getenv("MARVIN_TEST_ROAD") }
collectgarbage(mode)
-- Short steps: the collector is everywhere in its cycle.
if mode == "incremental" then collectgarbage(mode, 0, 0, 10) end

local function step() collectgarbage("step") end

local POOL, HOT = 400, 30
local pool = {}
-- Of each object that is alive: what should be in it. It keeps no object.
local models = setmetatable({}, { __mode = "k" })
local Row = marvin.record{ "bytes[7] name", "f64 x", "i32 id" }

local function random_text()
	local n = random(20) == 1 and random(5000) or random(40)
	step()
	return (string.char(random(256) - 1) .. random(1000000)):rep(n // 4)
end

local function random_object()
	return pool[random(POOL)]
end

local function random_value()
	local kind = random(10)
	if kind <= 3 then return random(1000000) end
	if kind == 4 then return random(1000000) / 7 end
	if kind == 5 then return random(2) == 1 end
	if kind <= 8 then return random_text() end
	return random_object() or 1
end

-- Of each type: make; write at random; read at random and compare; compare all.
local types = {}

local function wrong(object, key, got, want)
	error(("%s: %s: %s instead of %s"):format(object, key, got, want))
end

local function array(make, value, most)
	local type = {}
	function type.make()
		local n = random(most)
		step()
		local a = make(n)
		return a, { type = type, n = n }
	end
	function type.write(a, m)
		local i, v = random(m.n), value()
		a[i] = v
		m[i] = v
	end
	function type.read(a, m)
		local i = random(m.n)
		if a[i] ~= (m[i] or 0) then wrong(a, i, a[i], m[i] or 0) end
	end
	function type.all(a, m)
		local n = 0
		for i, v in pairs(a) do
			n = n + 1
			if v ~= (m[i] or 0) then wrong(a, i, v, m[i] or 0) end
		end
		if n ~= m.n or n ~= #a then wrong(a, "n", n, m.n) end
	end
	types[#types + 1] = type
end

array(marvin.f64, function() return random(1000000) / 3 end, 3000)
array(marvin.i32, function() return random(1 << 32) - (1 << 31) - 1 end, 3000)
array(marvin.bytes, function() return random(256) - 1 end, 20000)

local record = {}
types[#types + 1] = record

function record.make()
	local n = random(500)
	step()
	return Row(n), { type = record, n = n, x = {}, id = {}, name = {} }
end

local field_values = {
	x = function() return random(1000000) / 9 end,
	id = function() return random(1000000) end,
	name = function() return tostring(random(9999999)) end,
}
local field_names = { "x", "id", "name" }
local field_zeroes = { x = 0.0, id = 0, name = "" }

function record.write(r, m)
	local i, name = random(m.n), field_names[random(3)]
	local v = field_values[name]()
	r:set(i, name, v)
	m[name][i] = v
end

function record.read(r, m, i)
	i = i or random(m.n)
	for _, name in ipairs(field_names) do
		local v, want = r:get(i, name), m[name][i] or field_zeroes[name]
		if v ~= want then wrong(r, i .. name, v, want) end
	end
end

function record.all(r, m)
	if #r ~= m.n then wrong(r, "n", #r, m.n) end
	for i = 1, m.n do record.read(r, m, i) end
end

local list = {}
types[#types + 1], types[#types + 2] = list, list

function list.make()
	step()
	local l, m = marvin.list(1, "x"), { type = list, n = 2, 1, "x" }
	for _ = 1, random(60) do list.write(l, m) end
	return l, m
end

function list.write(l, m)
	local what, v = random(12), random_value()
	step()
	if what <= 2 and m.n > 0 and m.n < 600 then
		local i = random(m.n)
		l:insert(i, v)
		table.move(m, i, m.n, i + 1)
		m[i], m.n = v, m.n + 1
	elseif what == 3 and m.n > 0 then
		local i = random(m.n)
		local got, want = l:remove(i), m[i]
		if got ~= want then wrong(l, i, got, want) end
		table.move(m, i + 1, m.n + 1, i)
		m.n = m.n - 1
	elseif what <= 8 and m.n < 600 then
		l[#l + 1] = v
		m.n = m.n + 1
		m[m.n] = v
	elseif m.n > 0 then
		local i = random(m.n)
		if random(10) == 1 and i < m.n then v = nil end
		l[i] = v
		m[i] = v
	end
end

function list.read(l, m)
	if m.n == 0 then return end
	local i = random(m.n)
	if l[i] ~= m[i] then wrong(l, i, l[i], m[i]) end
end

function list.all(l, m)
	if #l ~= m.n then wrong(l, "n", #l, m.n) end
	for i = 1, m.n do
		local v = l[i]
		if v ~= m[i] then wrong(l, i, v, m[i]) end
	end
end

local map = {}
types[#types + 1], types[#types + 2] = map, map

function map.make()
	step()
	local o, m = marvin.map(), { type = map, values = {}, n = 0 }
	for _ = 1, random(80) do map.write(o, m) end
	return o, m
end

local function random_key()
	local kind = random(10)
	if kind <= 4 then return random(300) end
	if kind <= 8 then return "key" .. random(300) end
	if kind == 9 then return random(100) / 2 end
	return random_object() or "none"
end

function map.write(o, m)
	local k, v = random_key(), random_value()
	if random(4) == 1 then
		if random(2) == 1 then k = next(m.values) or k end
		v = nil
	end
	step()
	m.n = m.n + (v ~= nil and 1 or 0) - (m.values[k] ~= nil and 1 or 0)
	o[k] = v
	m.values[k] = v
end

function map.read(o, m)
	local k = random_key()
	if o[k] ~= m.values[k] then wrong(o, k, o[k], m.values[k]) end
end

function map.all(o, m)
	local n = 0
	for k, v in pairs(o) do
		n = n + 1
		if v ~= m.values[k] then wrong(o, k, v, m.values[k]) end
	end
	if n ~= m.n or #o ~= n then wrong(o, "n", n, m.n) end
end

local function make(slot)
	local object, model = types[random(#types)].make()
	models[object] = model
	pool[slot] = object
end

-- Follow references from an object on, and compare each object.
local function walk(object)
	for _ = 1, 5 do
		local m = models[object]
		m.type.read(object, m)
		if m.type == list and m.n > 0 then
			object = object[random(m.n)]
		elseif m.type == map then
			object = object[next(m.values)]
		else
			return
		end
		if not models[object] then return end
	end
end

local function operate(slot)
	local object = pool[slot]
	local m = models[object]
	local what = random(100)
	if what <= 2 then
		make(slot)
	elseif what <= 40 then
		m.type.write(object, m)
	elseif what <= 80 then
		m.type.read(object, m)
	elseif what <= 98 then
		walk(object)
	else
		m.type.all(object, m)
	end
end

-- Most objects are not used for a while, so they leave.
local function run()
	for slot = 1, POOL do make(slot) end
	for op = 1, ops do
		local slot = random(HOT) + op // 3000 * 17
		operate(random(100) == 1 and random(POOL) or slot % POOL + 1)
		if op % 150 == 0 then marvin.tick() end
		if op % 1000 == 0 then marvin.drop(random(1 << 22)) end
	end
end

local stats
tap.case(("%d operations, %s"):format(ops, mode), run)
stats = marvin.stats()
tap.case("all that is alive is right", function()
	-- A finalized object is still a key, until it is collected.
	collectgarbage()
	collectgarbage()
	for object, m in pairs(models) do m.type.all(object, m) end
end)
tap.case("objects have left, and came back", function()
	assert(stats.loads > ops // 1000, "too few were read")
	assert(stats.lost == 0 and stats.store_errors == 0)
end)
tap.note("objects %d, %d bytes; unsaved %d, saved %d, given %d; %d loads, %d bytes; dropped %d",
	 stats.objects, stats.bytes, stats.unsaved, stats.saved, stats.given, stats.loads, stats.loaded,
	 stats.dropped)
tap.case("without references all are freed", function()
	pool, models = {}, nil
	collectgarbage()
	collectgarbage()
	tap.same(marvin.stats().objects, 0)
end)
tap.finish()
