-- SPDX-License-Identifier: GPL-2.0
--
-- The cost of objects: run it with the module, and with the one that is built without Marvin, and
-- compare; bench.sh does. Argument: the part, or all of them.
local marvin = require "marvin"

-- Usual programs; each keeps its data in one of the types.
local parts = {}

-- A field of heat: reads and writes of f64.
function parts.f64()
	local n, steps = 20000, 25
	local now, nxt = marvin.f64(n), marvin.f64(n)
	for i = 1, n do now[i] = i % 100 end
	for _ = 1, steps do
		for i = 2, n - 1 do
			nxt[i] = now[i] + 0.2 * (now[i - 1] - 2 * now[i] + now[i + 1])
		end
		now, nxt = nxt, now
	end
	return now[n // 2]
end

-- Primes: a sieve of bytes.
function parts.bytes()
	local n, count = 600000, 0
	local sieve = marvin.bytes(n)
	for i = 2, n do
		if sieve[i] == 0 then
			count = count + 1
			for j = i * i, n, i do sieve[j] = 1 end
		end
	end
	return count
end

-- A histogram: i32.
function parts.i32()
	local histogram, x = marvin.i32(4096), 1
	for _ = 1, 800000 do
		x = (x * 1103515245 + 12345) % 2147483648
		local i = x // 524288 + 1
		histogram[i] = histogram[i] + 1
	end
	return histogram[17]
end

-- Bodies that move: fields of records.
function parts.record()
	local Body = marvin.record{ "f64 x", "f64 y", "f64 vx", "f64 vy", "i32 hits" }
	local n, bodies = 1000, nil
	bodies = Body(n)
	for i = 1, n do bodies:set(i, "x", i) bodies:set(i, "vx", i % 7 - 3) end
	for _ = 1, 100 do
		for i = 1, n do
			local x = bodies:get(i, "x") + bodies:get(i, "vx")
			if x < 0 or x > n then
				bodies:set(i, "vx", -bodies:get(i, "vx"))
				bodies:set(i, "hits", bodies:get(i, "hits") + 1)
			else
				bodies:set(i, "x", x)
			end
		end
	end
	return bodies:get(n, "x")
end

-- Lines of a text, and a sort: a list of strings.
function parts.list()
	local lines = marvin.list()
	for i = 1, 20000 do lines:append(("line %d of the text"):format(i * 7919 % 20011)) end
	table.sort(lines)
	return lines[1] .. #lines:concat("\n")
end

-- Words and how often they occur: a map.
function parts.map()
	local words, x = marvin.map(), 1
	for _ = 1, 400000 do
		x = (x * 1103515245 + 12345) % 2147483648
		local word = "word" .. x % 30011
		words[word] = (words[word] or 0) + 1
	end
	local n = 0
	for _, count in pairs(words) do n = n + count end
	return n
end

for _, name in ipairs{ "f64", "bytes", "i32", "record", "list", "map" } do
	if not arg[1] or arg[1] == name then
		local begin = os.clock()
		local result = parts[name]()
		print(("%-8s %8.3f s  %s"):format(name, os.clock() - begin, result))
	end
end
