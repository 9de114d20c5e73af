-- SPDX-License-Identifier: GPL-2.0
--
-- The heap's own thread saves while the program works.
local tap = require "tap"
local marvin = require "marvin"

marvin.open{ foreground_ms = 5, background_ms = 5, road = os.getenv("MARVIN_TEST_ROAD") }
tap.case("a program works, and objects are saved meanwhile", function()
	local objects, sums = {}, {}
	for i = 1, 200 do
		objects[i] = marvin.f64(1000)
		sums[i] = 0
	end
	local m = marvin.map()
	local until_s, op = os.time() + 3, 0
	while os.time() < until_s do
		op = op + 1
		local i, k = tap.random(10) + op // 20000 % 190, tap.random(1000)
		sums[i] = sums[i] - objects[i][k]
		objects[i][k] = op
		sums[i] = sums[i] + op
		m[op % 1000] = "text " .. op
		if op % 1000 == 0 then marvin.drop(100000) end
	end
	for i = 1, 200 do
		local sum = 0
		for _, v in ipairs(objects[i]) do sum = sum + v end
		assert(sum == sums[i])
	end
	for k = op - 999, op do assert(m[k % 1000] == "text " .. k) end
	local stats = marvin.stats()
	assert(stats.written > 1 << 20 and stats.ticks > 20 and stats.lost == 0)
	tap.note("%d operations, %d ticks, %d bytes saved, %d loads", op, stats.ticks,
		 stats.written, stats.loads)
end)
tap.finish()
