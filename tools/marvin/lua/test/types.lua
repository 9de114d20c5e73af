-- SPDX-License-Identifier: GPL-2.0
--
-- Each type: its functions and its errors.
local tap = require "tap"
local marvin = require "marvin"
local case, same, fails = tap.case, tap.same, tap.fails

local function index(o, i) return o[i] end
local function assign(o, i, v) o[i] = v end

-- All that pairs() gives, in its order.
local function all(o)
	local keys, values = {}, {}
	for k, v in pairs(o) do
		keys[#keys + 1] = k
		values[#values + 1] = v
	end
	return keys, values
end

case("open: options", function()
	fails('unknown option "sapce"', marvin.open, { sapce = 1 })
	fails("space is not a number", marvin.open, { space = "much" })
	fails("foreground_ms is not a number", marvin.open, { foreground_ms = -1 })
	fails("thread is neither", marvin.open, { thread = 1 })
	fails("store is neither", marvin.open, { store = 1 })
	fails('road is none: "street"', marvin.open, { road = "street" })
	fails("road is none", marvin.open, { road = 1 })
	fails("table expected", marvin.open, 1)
	fails("marvin cannot open /nonexistent/store: No such file", marvin.open,
	      { store = "/nonexistent/store" })
	for _, name in ipairs{ "tick", "fetch", "info" } do
		same(select(2, marvin[name]()), "marvin is not open")
	end
	same(select(2, marvin.background(true)), "marvin is not open")
	same(marvin.drop(), 0)
	same(marvin.stats().objects, 0)
	marvin.open{ store = "/var/tmp/", space = 64 << 20, road = "auto", foreground_ms = 1000,
		     background_ms = 2000, thread = false }
	fails("marvin is open already", marvin.open, {})
	same(marvin.tick(), true)
	same(marvin.tick(100), true)
	same(marvin.drop(), 0)
	same(marvin.fetch(), true)
	fails("budget is not a number", marvin.tick, -1)
	same(marvin.stats().ticks, 2)
	same(marvin.background(true), true)
	same(marvin.background(false), true)
	fails("boolean expected", marvin.background)
	local info = marvin.info()
	same(type(info.road), "string")
	same(type(info.saves), "boolean")
	same(type(info.system_calls), "boolean")
	assert(info.space >= 64 << 20 and info.page >= 4096)
end)

for _, type in ipairs{ "bytes", "f64", "i32" } do
	local make = marvin[type]
	case(type .. ": indexes", function()
		local a = make(10)
		same(#a, 10)
		for i = 1, 10 do assert(a[i] == 0) end
		a[1], a[10.0] = 7, 9
		same(a[1.0] + 0.0, 7.0)
		same(a[10] + 0.0, 9.0)
		for _, i in ipairs{ 11, 0, -1, math.mininteger, math.maxinteger, 1.5, "1", true,
				    0 / 0, {} } do
			same(a[i], nil)
		end
		same(a[nil], nil)
		fails("index 11 out of bounds (1 to 10)", assign, a, 11, 0)
		fails("types.lua:", assign, a, 11, 0)
		fails("index 0 out of bounds (1 to 10)", assign, a, 0, 0)
		fails("index -1 out of bounds (1 to 10)", assign, a, -1, 0)
		fails("out of bounds", assign, a, math.mininteger, 0)
		fails("out of bounds", assign, a, math.maxinteger, 0)
		fails("index 1.5 is not an integer", assign, a, 1.5, 0)
		fails("index is a string value", assign, a, "x", 1)
		same(a.nothing, nil)
		fails("number expected, got string", assign, a, 1, "1")
		fails("number expected, got nil", assign, a, 1, nil)
		same(make(0)[1], nil)
		fails("index 1 out of bounds (it is empty)", assign, make(0), 1, 1)
	end)
	case(type .. ": made of a table, or of what is like one", function()
		local a = make{ 1, 2, 3 }
		same(#a, 3)
		same(a[3] + 0.0, 3.0)
		same(make(a)[2] + 0.0, 2.0)
		fails("number expected, got boolean", make, { 1, true })
		fails("negative size", make, -1)
		fails("too large", make, math.maxinteger)
		fails("number expected", make, nil)
		same(#make{}, 0)
	end)
	case(type .. ": pairs, ipairs, and the table library", function()
		local a = make{ 5, 1, 4 }
		local keys, values = all(a)
		same(#keys, 3)
		same(keys[3], 3)
		same(values[1] + 0.0, 5.0)
		local n = 0
		for i, v in ipairs(a) do
			n = n + i
			assert(v == a[i])
		end
		same(n, 6)
		table.sort(a)
		same(a[1] + 0.0, 1.0)
		same(a[3] + 0.0, 5.0)
		same(select("#", table.unpack(a)), 3)
		fails("out of bounds", table.insert, a, 1)
		a:fill(3)
		same(a[1] + a[3] + 0.0, 6.0)
		for _ in ipairs(make(0)) do error("there is none") end
		same((pairs(a))(a, math.maxinteger), nil)
	end)
	case(type .. ": tostring, close, and who is who", function()
		local kept
		do
			local a <close> = make(1000)
			kept = a
			assert(tostring(a):find("^marvin%." .. type .. "%(1000%): "))
		end
		same(tostring(kept), "marvin." .. type .. " (closed)")
		fails("the object is closed", index, kept, 1)
		fails("the object is closed", index, kept, 1001)
		fails("the object is closed", assign, kept, 1, 1)
		fails("the object is closed", function() return #kept end)
		fails("the object is closed", pairs, kept)
		fails("the object is closed", kept.fill, kept, 1)
		kept:close()
		same(make(1) == make(1), false)
	end)
end

case("i32: only integers of 32 bits", function()
	local a = marvin.i32(2)
	a[1], a[2] = -2147483648, 2147483647.0
	same(a[1], -2147483648)
	same(a[2], 2147483647)
	fails("2147483648 is not a 32-bit integer", assign, a, 1, 2147483648)
	fails("1.5 is not a 32-bit integer", assign, a, 1, 1.5)
	fails("nan is not a 32-bit integer", assign, a, 1, math.abs(0 / 0))
	same(a[1], -2147483648)
end)

case("f64: any number", function()
	local a = marvin.f64(2)
	a[1], a[2] = 0.1, 1 / 0
	same(a[1], 0.1)
	same(a[2], math.huge)
	a[1] = 0 / 0
	assert(a[1] ~= a[1])
	a[1] = 3
	same(a[1], 3.0)
end)

case("bytes: strings", function()
	local text = "hello \0 world"
	local b = marvin.bytes(text)
	same(#b, #text)
	for i = -20, 20 do
		same(b:sub(i), text:sub(i))
		for j = -20, 20 do same(b:sub(i, j), text:sub(i, j)) end
	end
	same(b:sub(math.mininteger, math.maxinteger), text)
	same(b:sub(math.maxinteger, math.mininteger), "")
	b:set(1, "J")
	b:set(#text, "D")
	b:set(#text + 1, "")
	same(b:sub(1), "Jello \0 worlD")
	fails("index 14 out of bounds (1 to 13)", b.set, b, 13, "xx")
	fails("index 0 out of bounds", b.set, b, 0, "x")
	fails("index 15 out of bounds", b.set, b, 15, "")
	fails("256 is not a byte", assign, b, 1, 256)
	fails("-1 is not a byte", assign, b, 1, -1)
	local large = ("0123456789"):rep(100000)
	b = marvin.bytes(large)
	same(b:sub(1), large)
	same(b:sub(999991, 1000001), "0123456789")
	same(#marvin.bytes(""), 0)
	same(marvin.bytes(""):sub(1), "")
	same(marvin.bytes("12")[1], 49)
	fails("marvin.bytes expected", b.sub, marvin.f64(1), 1)
end)

case("more than there is memory", function()
	-- More bytes than any machine has, within the range of addresses.
	local n = 1 << (string.packsize("T") == 8 and 46 or 29)
	fails("not enough memory", marvin.bytes, n)
	fails("not enough memory", marvin.f64, n // 8)
	fails("not enough memory", marvin.record{ "f64 x" }, n // 8)
end)

case("record: fields", function()
	local Point = marvin.record{ "f64 x", "f64 y", "i32 id", "bytes[16] name" }
	local p = Point()
	same(#p, 1)
	same(p.x, 0.0)
	same(p.id, 0)
	same(p.name, "")
	p.x, p.id, p.name = 1.5, 7, "seven"
	same(p.x, 1.5)
	same(p.id, 7)
	same(p.name, "seven")
	p.name = ("n"):rep(16)
	same(p.name, ("n"):rep(16))
	p.name = "a"
	same(p:get(1, "name"), "a")
	fails('no field "z"', index, p, "z")
	fails('no field "z"', assign, p, "z", 1)
	fails('no field "1"', index, p, 1)
	fails('no field "get"', assign, p, "get", 1)
	fails("1.5 is not a 32-bit integer", assign, p, "id", 1.5)
	fails("number expected", assign, p, "x", "1")
	fails("string expected, got number", assign, p, "name", 1)
	fails("a string of 17 bytes is too long for name, which has 16", assign, p, "name",
	      ("n"):rep(17))
	local keys, values = all(p)
	same(table.concat(keys, " "), "x y id name")
	same(values[3], 7)
	assert(tostring(p):find("^marvin%.record%(1%): "))
	local other = marvin.record{ "i32 x" }
	fails("a record of another type", p.get, other(1), 1, "x")
	fails("marvin.record expected", p.get, marvin.f64(1), 1, "x")
end)

case("record: arrays", function()
	local Point = marvin.record{ "bytes[3] tag", "f64 x", "i32 id" }
	local r = Point(1000)
	same(#r, 1000)
	for i = 1, 1000 do
		r:set(i, "x", i / 2)
		r:set(i, "id", -i)
		r:set(i, "tag", tostring(i % 1000))
	end
	for i = 1, 1000 do
		same(r:get(i, "x"), i / 2)
		same(r:get(i, "id"), -i)
		same(r:get(i, "tag"), tostring(i % 1000))
	end
	fails("index 1001 out of bounds (1 to 1000)", r.get, r, 1001, "x")
	fails("index 0 out of bounds", r.set, r, 0, "x", 1)
	fails("index is a string value", r.get, r, "x")
	fails("there are 1000 records: use get", index, r, "x")
	fails("there are 1000 records: use get", assign, r, "x", 1)
	fails("there are 1000 records", pairs, r)
	same(#Point(0), 0)
	fails("it is empty", r.get, Point(0), 1, "x")
	fails("negative size", Point, -1)
	r:close()
	fails("the object is closed", r.get, r, 1, "x")
	fails("the object is closed", function() return #r end)
end)

case("record: definitions", function()
	local record = marvin.record
	fails("table expected", record, "f64 x")
	fails("no fields", record, {})
	fails('field 1: "f32 x" is not "f64 NAME", "i32 NAME" or "bytes[N] NAME"', record,
	      { "f32 x" })
	fails('field 2: "bytes[0] x" is not', record, { "f64 y", "bytes[0] x" })
	fails('field 1: "bytes[x] x" is not', record, { "bytes[x] x" })
	fails('field 1: "f64x" is not', record, { "f64x" })
	fails('field 1: "f64 1x" is not', record, { "f64 1x" })
	fails('field 1: "" is not', record, { 1 })
	fails('field 2: "x" is there already', record, { "f64 x", "i32 x" })
	fails('field 1: "get" is a method\'s name', record, { "f64 get" })
	same(record{ "bytes[1]  _x1" }()._x1, "")
end)

case("list: values", function()
	local f, t, co = print, {}, coroutine.create(print)
	local l = marvin.list(1, 2.5, "x", nil, t, true, false, f, co, "")
	same(#l, 10)
	same(l[1], 1)
	same(l[2], 2.5)
	same(l[3], "x")
	same(l[4], nil)
	same(l[5], t)
	same(l[6], true)
	same(l[7], false)
	same(l[8], f)
	same(l[9], co)
	same(l[10], "")
	l[5] = l
	same(l[5], l)
	l[4], l[5] = ("long"):rep(1000), nil
	same(l[4], ("long"):rep(1000))
	same(l[5], nil)
	same(#l, 10)
	local keys = all(l)
	same(#keys, 9)
	same(#marvin.list(), 0)
	same(#marvin.list(nil, nil), 2)
	same((pairs(l))(l, math.maxinteger), nil)
	assert(tostring(l):find("^marvin%.list%(10%): "))
end)

case("list: grows and shrinks", function()
	local l, t = marvin.list(), {}
	for i = 1, 3000 do
		l[#l + 1] = i % 3 == 0 and "s" .. i or i
		t[#t + 1] = i % 3 == 0 and "s" .. i or i
	end
	l:insert(1, "first")
	table.insert(t, 1, "first")
	l:insert(#l + 1, "last")
	t[#t + 1] = "last"
	l:insert(100, {})
	same(type(l:remove(100)), "table")
	same(l:remove(1), table.remove(t, 1))
	same(l:remove(), table.remove(t))
	same(#l, #t)
	for i, v in ipairs(l) do same(v, t[i]) end
	l[#l] = nil
	same(#l, 2999)
	l[#l + 1] = nil
	same(#l, 2999)
	l:append(nil)
	same(#l, 3000)
	while #l > 0 do l:remove() end
	same(l:remove(), nil)
	same(l:remove(1), nil)
	table.insert(l, "a")
	table.insert(l, 1, "b")
	same(l:concat(), "ba")
	same(table.remove(l, 1), "b")
	same(table.remove(l), "a")
	same(#l, 0)
	same(table.remove(l), nil)
end)

case("list: strings", function()
	local l = marvin.list("a", 1, 2.5, "b")
	same(l:concat(), "a12.5b")
	same(l:concat(", "), "a, 1, 2.5, b")
	same(l:concat("-", 2, 3), "1-2.5")
	same(l:concat("-", 3, 2), "")
	fails("index 5 out of bounds (1 to 4)", l.concat, l, "", 1, 5)
	l[2] = {}
	fails("invalid value (at index 2) in list for 'concat'", l.concat, l)
	local t = {}
	l = marvin.list()
	for i = 1, 2000 do
		t[i] = ("%d,"):format(i):rep(i % 50)
		l:append(t[i])
	end
	same(l:concat(";"), table.concat(t, ";"))
	table.sort(l)
	table.sort(t)
	same(l:concat(";"), table.concat(t, ";"))
	-- A string that is replaced often enough does not fill the memory.
	for i = 1, 100000 do l[1] = ("%080d"):format(i) end
	assert(marvin.stats().bytes < 4 << 20)
end)

case("list: bounds", function()
	local l = marvin.list(1, 2)
	for _, i in ipairs{ 3, 0, -1, math.mininteger, math.maxinteger, 1.5, "1", true, 0 / 0,
			    {} } do
		same(l[i], nil)
	end
	-- As in a table, nil does nothing to an absent element.
	for _, i in ipairs{ 4, 3, 0, -1 } do l[i] = nil end
	same(#l, 2)
	fails("index 4 out of bounds (1 to 2)", assign, l, 4, 1)
	fails("index 0 out of bounds (1 to 2)", assign, l, 0, 1)
	fails("index 1.5 is not an integer", assign, l, 1.5, 1)
	fails("index is a boolean value", assign, l, true, 1)
	fails("index 4 out of bounds", l.insert, l, 4, 1)
	fails("index 3 out of bounds", l.remove, l, 3)
	fails("value expected", l.append, l)
	fails("value expected", l.insert, l, 1)
	same(l.nothing, nil)
	local append = l.append
	l:close()
	fails("the object is closed", append, l, 1)
	fails("the object is closed", append, l, {})
	fails("the object is closed", l.remove, l)
	fails("the object is closed", index, l, 1)
	same(tostring(l), "marvin.list (closed)")
	fails("marvin.list expected", append, marvin.map(), 1)
end)

case("map: keys and values", function()
	local m, t, f, co = marvin.map(), {}, print, coroutine.create(print)
	local keys = { 1, 2.5, "x", "", true, false, t, f, co, m, math.huge, -1, io.stdout }
	for i, k in ipairs(keys) do m[k] = i end
	same(#m, #keys)
	for i, k in ipairs(keys) do same(m[k], i) end
	for i, k in ipairs(keys) do m[k] = keys[#keys - i + 1] end
	for i, k in ipairs(keys) do same(m[k], keys[#keys - i + 1]) end
	same(m[2], nil)
	same(m[{}], nil)
	same(m["1"], nil)
	same(m[nil], nil)
	same(m[0 / 0], nil)
	fails("index is nil", assign, m, nil, 1)
	fails("index is NaN", assign, m, 0 / 0, 1)
	m[1.0] = "one"
	same(m[1], "one")
	m[-0.0] = "zero"
	same(m[0], "zero")
	m[1 << 53] = 1
	m[2 ^ 53] = 2
	same(m[1 << 53], 2)
	m[2 ^ 63] = 3
	same(m[math.mininteger], nil)
	same(m[2 ^ 63], 3)
	assert(tostring(m):find("^marvin%.map%(16?%d*%): "))
	same(marvin.map{ a = 1, b = 2 }.b, 2)
	fails("table expected", marvin.map, 1)
end)

case("map: pairs, and what may happen meanwhile", function()
	local m = marvin.map()
	for i = 1, 1000 do m["key" .. i] = "value" .. i end
	for i = 1, 1000 do m[i] = i end
	local n = 0
	for k, v in pairs(m) do
		n = n + 1
		if type(k) == "number" then
			same(v, k)
			m[k] = nil
		else
			same(v, "value" .. k:sub(4))
			-- A string in place of another one: another buffer from time to time.
			m[k] = ("v"):rep(100) .. k
		end
	end
	same(n, 2000)
	same(#m, 1000)
	for k, v in pairs(m) do same(v, ("v"):rep(100) .. k) end
	for k in pairs(m) do m[k] = nil end
	same(#m, 0)
	same(#all(m), 0)
	-- Small maps that are nearly full, and another buffer at almost each step.
	for round = 1, 200 do
		m, n = marvin.map(), 0
		for i = 1, 40 do m[i * round] = i end
		for k in pairs(m) do
			n = n + 1
			m[k] = n % 3 ~= 0 and ("x"):rep(n * n) or nil
		end
		same(n, 40)
		same(#m, 27)
	end
	m = marvin.map()
	-- Keys that come and go.
	for i = 1, 20000 do
		m[i], m["s" .. i] = "x", i
		m[i - 3], m["s" .. i - 3] = nil, nil
	end
	same(#m, 6)
	same(m.s20000, 20000)
	m[{}] = 1
	local kept
	do
		local closed <close> = m
		kept = m
	end
	fails("the object is closed", index, kept, 1)
	fails("the object is closed", assign, kept, 1, 1)
	fails("the object is closed", assign, kept, 1, nil)
	fails("the object is closed", assign, kept, {}, {})
	fails("the object is closed", pairs, kept)
	fails("the object is closed", function() return #kept end)
end)

case("map: a value in place of another one", function()
	local m, tables = marvin.map(), {}
	for i = 1, 300 do tables[i] = {} end
	for round = 1, 3 do
		for i = 1, 300 do m[tables[i]] = tables[(i + round) % 300 + 1] end
		for i = 1, 300 do same(m[tables[i]], tables[(i + round) % 300 + 1]) end
	end
	same(#m, 300)
	for i = 1, 300, 2 do m[tables[i]] = nil end
	same(#m, 150)
	for i = 1, 300 do same(m[tables[i]] ~= nil, i % 2 == 0) end
end)

-- A function for each type that makes an object.
local Point = marvin.record{ "f64 x", "bytes[8] s" }
local makers = {
	bytes = function() return marvin.bytes(10) end,
	f64 = function() return marvin.f64(10) end,
	i32 = function() return marvin.i32(10) end,
	record = function() return Point() end,
	["another record"] = function() return marvin.record{ "i32 x" }() end,
	list = function() return marvin.list(1, "x", {}) end,
	map = function() return marvin.map{ x = 1, [{}] = {} } end,
}

case("like tables: a library that is written for them", function()
	local a = marvin.f64{ 3, 1, 2 }
	same(table.concat(a, " "), "3.0 1.0 2.0")
	same(a[1] .. "", "3.0")
	same(select("#", table.unpack(a)), 3)
	local t = table.move(a, 1, 3, 1, {})
	same(t[2], 1.0)
	table.move(t, 1, 2, 2, a)
	same(table.concat(a, " "), "3.0 3.0 1.0")
	local l = marvin.list(3, 1, 2)
	table.sort(l, function(x, y) return x > y end)
	same(table.concat(l, " "), "3 2 1")
	table.move(l, 1, 3, 4)
	same(table.concat(l, " "), "3 2 1 3 2 1")
	same(l[1] .. l[2], "32")
	same(select("#", table.unpack(l, 5, 8)), 4)
	local n = 0
	for _ in ipairs(marvin.list(1, 2, nil, 4)) do n = n + 1 end
	same(n, 2)
	same(({ [l] = 1 })[l], 1)
	same(l == marvin.list(table.unpack(l)), false)
end)

case("unlike tables", function()
	for _, make in pairs(makers) do
		fails("table expected", next, make())
		fails("table expected", rawget, make(), 1)
		fails("table expected", setmetatable, make(), {})
		fails("attempt to concatenate", function() return make() .. "x" end)
		same(type(make()), "userdata")
	end
end)

case("check", function()
	for _, make in pairs(makers) do
		local object = make()
		same(marvin.check(object), true)
		do local closed <close> = object end
		same(marvin.check(object), nil)
		same(select(2, marvin.check(object)), "the object is closed")
	end
	for _, v in ipairs{ 1, "x", {}, io.stdout, print } do
		fails("one of marvin's types expected", marvin.check, v)
	end
	fails("one of marvin's types expected", marvin.check)
end)

case("metatables: they are not given away", function()
	for name, make in pairs(makers) do
		same(getmetatable(make()), "marvin." .. name:gsub("another ", ""))
	end
end)

-- All functions that objects of a type have, by the debug library.
local function functions_of(object)
	local functions = {}
	for name, f in pairs(debug.getmetatable(object)) do
		if type(f) == "function" then functions[name] = f end
	end
	for _, name in ipairs{ "fill", "sub", "set", "get", "append", "insert", "remove", "concat",
			       "close" } do
		local good, f = pcall(index, object, name)
		if good and type(f) == "function" then functions[name] = f end
	end
	return functions
end

case("functions that get what is another's: an error, and no crash", function()
	local others = { 1, "x", true, print, io.stdout, coroutine.create(print), {} }
	for _, make in pairs(makers) do others[#others + 1] = make() end
	for type, make in pairs(makers) do
		for name, f in pairs(functions_of(make())) do
			for _, other in ipairs(others) do
				-- The other may be of the type.
				pcall(f, other)
				pcall(f, other, 1)
				pcall(f, other, 1, "x")
				pcall(f, other, 1, "x", 1)
				pcall(f, other, "x", 1)
			end
			fails("expected", f, io.stdout, 1)
			fails("expected", f, 1)
			fails("expected", f)
		end
	end
end)

case("metatables that are taken away, or exchanged: no crash", function()
	for type, make in pairs(makers) do
		for _, other in pairs(makers) do
			local meta = debug.getmetatable(other())
			local object = make()
			debug.setmetatable(object, meta)
			pcall(index, object, 1)
			pcall(index, object, "x")
			pcall(assign, object, 1, 1)
			pcall(assign, object, "x", 1)
			pcall(function() return #object end)
			pcall(function() for _ in pairs(object) do end end)
			tostring(object)
			local file = io.tmpfile()
			debug.setmetatable(file, meta)
			pcall(index, file, 1)
			pcall(assign, file, 1, 1)
			pcall(tostring, file)
			file = nil
		end
		-- No finalizer runs: the payload stays until the state is closed.
		debug.setmetatable(make(), nil)
		collectgarbage()
		collectgarbage()
		local object = make()
		debug.setuservalue(object, nil, 1)
		pcall(index, object, 3)
		pcall(assign, object, 3, {})
		pcall(assign, object, 3, nil)
		pcall(function() for _ in pairs(object) do end end)
	end
end)

tap.finish()
