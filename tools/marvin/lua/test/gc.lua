-- SPDX-License-Identifier: GPL-2.0
--
-- Lua's collector and objects: it touches no payload, and frees garbage in time. Argument: its
-- mode.
local tap = require "tap"
local marvin = require "marvin"
local case, same = tap.case, tap.same
local mode = arg[1] or "incremental"

marvin.open{ thread = false, space = 512 << 20 }
collectgarbage(mode)

local function ticks(n) for _ = 1, n do assert(marvin.tick()) end end

-- How often a run reads from the store.
local function brought(run)
	local before = marvin.stats()
	run()
	local after = marvin.stats()
	return after.loads - before.loads
end

local function collect()
	for _ = 1, 3 do collectgarbage() end
	for _ = 1, 300 do collectgarbage("step") end
end

case(mode .. ": a collection with 80 % of the bytes out brings nothing back", function()
	local objects, Row = {}, marvin.record{ "f64 x", "bytes[8] s" }
	for i = 1, 100 do
		objects[#objects + 1] = marvin.f64(2000)
		objects[#objects + 1] = marvin.bytes(10000)
		objects[#objects + 1] = Row(800)
		-- These hold the only references.
		local l, m = marvin.list(), marvin.map()
		for k = 1, 300 do
			l[k] = k % 2 == 0 and { k } or "text " .. k
			m[k % 2 == 0 and "key " .. k or { k }] = { i }
		end
		l[301] = marvin.f64{ i }
		objects[#objects + 1], objects[#objects + 2] = l, m
	end
	local bytes = marvin.stats().bytes
	for _ = 1, 6 do
		ticks(1)
		for i = 1, 100 do objects[i] = objects[i] and #objects[i] and objects[i] end
		for i = 1, 100, 5 do
			assert(objects[i][1] == 0 and objects[i + 1][1] == 0)
			assert(objects[i + 2]:get(1, "x") == 0 and objects[i + 3][1] == "text 1")
			assert(objects[i + 4]["key 2"][1] == (i + 4) // 5)
		end
	end
	local dropped = marvin.drop()
	assert(dropped * 5 >= bytes * 4, dropped .. " of " .. bytes)
	same(brought(collect), 0, "brought back")
	-- All that they keep is there.
	for i = 4, 500, 5 do
		same(objects[i][300][1], 300)
		same(objects[i][301][1], (i + 1) / 5)
	end
	same(objects[500]["key 2"][1], 100)
	assert(marvin.stats().loaded > 80 * marvin.info().page)
end)

local function bytes_after(run)
	local most = 0
	for i = 1, 10000 do
		run(i)
		if i % 50 == 0 then most = math.max(most, marvin.stats().bytes) end
	end
	return most
end

case(mode .. ": garbage is freed in time, and its payload with it", function()
	collectgarbage()
	collectgarbage()
	same(marvin.stats().objects, 0)
	local most = bytes_after(function() marvin.bytes(100000) end)
	tap.note("1 GB of garbage: %d MiB at most", most >> 20)
	assert(most < 40 << 20, most)
end)

case(mode .. ": also where it has become old before", function()
	local ring = {}
	local most = bytes_after(function(i) ring[i % 100] = marvin.bytes(100000) end)
	tap.note("10 MB in use, and 1 GB of garbage: %d MiB at most", most >> 20)
	assert(most < (mode == "incremental" and 32 or 80) << 20, most)
end)

case(mode .. ": lists and maps that grow", function()
	local most = bytes_after(function(i)
		local l = marvin.list()
		for k = 1, 100 do l[k] = k end
		marvin.map{ [1] = ("x"):rep(10000) }
	end)
	assert(most < 40 << 20, most)
end)

case(mode .. ": a collector that is stopped does not run", function()
	collectgarbage()
	collectgarbage()
	local before = marvin.stats().objects
	collectgarbage("stop")
	for _ = 1, 200 do marvin.bytes(100000) end
	same(marvin.stats().objects - before, 200)
	collectgarbage("restart")
	collectgarbage()
	collectgarbage()
	same(marvin.stats().objects, before)
end)

case(mode .. ": what a container had is garbage", function()
	local weak = setmetatable({}, { __mode = "k" })
	local function new()
		local t = {}
		weak[t] = true
		return t
	end
	local function count()
		collectgarbage()
		collectgarbage()
		local n = 0
		for _ in pairs(weak) do n = n + 1 end
		return n
	end
	local l, m = marvin.list(new(), new(), new()), marvin.map()
	same(count(), 3)
	l[1] = new()
	l[2] = nil
	l:remove(1)
	same(count(), 1)
	l:insert(1, new())
	l[#l] = nil
	same(count(), 1)
	for i = 1, 100 do
		m[new()] = new()
		m[i] = new()
		m[i] = new()
	end
	same(count(), 301)
	for i = 1, 100 do m[i] = i end
	same(count(), 201)
	for k in pairs(m) do m[k] = 1 end
	same(count(), 101)
	for k in pairs(m) do m[k] = nil end
	same(count(), 1)
	pcall(function() l[10] = new() end)
	l:close()
	pcall(function() l:append(new()) end)
	pcall(function() m[0 / 0] = new() end)
	l, m = nil, nil
	same(count(), 0)
end)

case(mode .. ": finalizers that use the objects that just grow", function()
	local l, m = marvin.list(), marvin.map()
	local n = 0
	local function litter()
		setmetatable({}, { __gc = function()
			n = n + 1
			l[#l + 1] = "finalizer " .. n
			m["finalizer " .. n] = { n }
			if n % 3 == 0 and #l > 50 then l:remove(1) end
			if n % 7 == 0 then m["finalizer " .. n - 3] = nil end
			if n % 50 == 0 then
				while #l > 5 do l[#l] = nil end
				for k in pairs(m) do m[k] = nil end
			end
		end })
	end
	for i = 1, 20000 do
		litter()
		l:append({ i })
		l:insert(1, ("text"):rep(i % 50))
		m[{}] = ("value"):rep(i % 60)
		m[i] = {}
		collectgarbage("step")
		for _, v in ipairs(l) do
			assert(type(v) == "table" or type(v) == "string")
			break
		end
	end
	assert(n > 1000)
	local k = 0
	for _ in pairs(m) do k = k + 1 end
	same(k, #m)
end)

case(mode .. ": finalizers that close what is used", function()
	local n = 0
	for i = 1, 3000 do
		local l <close> = marvin.list()
		setmetatable({}, { __gc = function() l:close() end })
		local good = true
		for k = 1, 200 do
			local ok, message = pcall(l.append, l, k % 2 == 0 and { k } or ("x"):rep(k))
			if not ok then
				assert(message:find("the object is closed", 1, true), message)
				good = false
				break
			end
		end
		n = n + (good and 0 or 1)
	end
	tap.note("%d were closed while they grew", n)
	assert(n > 0)
end)

-- Finalizers run when the state is closed, too, in any order.
kept = marvin.list({}, "x")
setmetatable({}, { __gc = function()
	pcall(function() kept:append(marvin.map{ 1, 2, 3 }) end)
	late = marvin.f64(1000)
	late[1] = 1
end })
tap.finish()
