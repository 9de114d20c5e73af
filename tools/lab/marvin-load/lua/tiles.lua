-- SPDX-License-Identifier: GPL-2.0
--
-- A viewer of maps without its screen: tiles of 256 x 256 points, a byte each, are drawn at their
-- first use and kept in an LRU cache. The user pans and zooms, and returns to marked places. A tile
-- that comes into view must have the checksum of its first drawing, even if it was drawn again
-- meanwhile.
package.path = (arg[0]:match("^.*/") or "./") .. "?.lua;" .. package.path
local program = require "program"
local options = program.begin("tiles", {
	{ "tiles", 400, "in the cache, of 64 KiB each", 64 },
	{ "steps", 600, "frames" },
	{ "width", 1024, "of the window", 1 },
	{ "height", 768, "of the window", 1 },
})
local marvin = program.types()
local random, check = math.random, program.check

local SIDE = 256		-- points of a tile
local CELL = 16			-- of a tile are alike
local FIRST, LAST = 8, 12	-- zoom: 2^zoom tiles are a side of the map

local function hash(a, b, c)
	local h = (a * 0x9E3779B97F4A7C15 ~ b) * 0xC2B2AE3D27D4EB4F ~ c
	h = (h ~ h >> 31) * 0x9E3779B97F4A7C15
	return h ~ h >> 32
end

-- Rows of a cell: water, fields, woods, a town. All cells of a kind have the same pattern.
local cells = {}

local function make_cells()
	local colours = { { 17 }, { 17 }, { 40 }, { 42 }, { 43 }, { 60, 61, 60, 62 }, { 60, 62 },
			  { 90, 91, 95, 90, 90, 99 } }
	for kind, colour in ipairs(colours) do
		cells[kind] = {}
		for row = 1, CELL do
			local points = {}
			for i = 1, CELL do points[i] = string.char(colour[random(#colour)]) end
			cells[kind][row] = table.concat(points)
		end
	end
end

-- The kind of a cell, mostly that around it.
local function kind_of(zoom, x, y)
	local here = hash(zoom, x, y)
	if here % 5 > 0 then here = hash(zoom, x >> 3, y >> 3) end
	return (here >> 8) % #cells + 1
end

-- A row of cells; its lowest line may be a road.
local function draw_row(zoom, x, y)
	local kinds, lines = {}, {}
	for i = 1, SIDE // CELL do kinds[i] = cells[kind_of(zoom, x * SIDE // CELL + i, y)] end
	for row = 1, CELL do
		local parts = {}
		for i = 1, #kinds do parts[i] = kinds[i][row] end
		lines[row] = table.concat(parts)
	end
	if hash(zoom, y, 7) % 6 == 0 then lines[CELL] = ("\200"):rep(SIDE) end
	return table.concat(lines)
end

local function draw(zoom, x, y)
	local rows = {}
	for i = 1, SIDE // CELL do rows[i] = draw_row(zoom, x, y * SIDE // CELL + i) end
	return table.concat(rows)
end

-- The cache: for each slot a tile, its name and checksum, and the slots used before and after it.
-- The last slot has no tile; it links the oldest and the newest.
local cache = {
	n = 0, hits = 0, misses = 0, tiles = {}, names = marvin.list(), slots = marvin.map(),
	sums = marvin.map(), older = marvin.i32(options.tiles + 1),
	newer = marvin.i32(options.tiles + 1),
}
local END = options.tiles + 1
cache.older[END], cache.newer[END] = END, END

function cache.take_out(slot)
	local older, newer = cache.older[slot], cache.newer[slot]
	cache.newer[older], cache.older[newer] = newer, older
end

function cache.make_newest(slot)
	local newest = cache.older[END]
	cache.older[slot], cache.newer[slot] = newest, END
	cache.newer[newest], cache.older[END] = slot, slot
end

-- A slot for a new tile.
function cache.room()
	if cache.n < options.tiles then
		cache.n = cache.n + 1
		return cache.n
	end
	local slot = cache.newer[END]
	cache.take_out(slot)
	cache.slots[cache.names[slot]] = nil
	cache.tiles[slot]:close()
	return slot
end

function cache.add(name, zoom, x, y)
	local slot, text = cache.room(), draw(zoom, x, y)
	local sum, before = program.sum(text), cache.sums[name]
	check(not before or before == sum, "tile %s is not drawn as it was", name)
	cache.sums[name] = sum
	cache.tiles[slot], cache.names[slot], cache.slots[name] = marvin.bytes(text), name, slot
	cache.make_newest(slot)
	return slot
end

function cache.get(zoom, x, y)
	local name = ("%d/%d/%d"):format(zoom, x, y)
	local slot = cache.slots[name]
	if slot then
		cache.hits = cache.hits + 1
		cache.take_out(slot)
		cache.make_newest(slot)
	else
		cache.misses = cache.misses + 1
		slot = cache.add(name, zoom, x, y)
	end
	return cache.tiles[slot], name
end

local function check_tile(tile, name)
	local sum = program.sum(tile:sub(1))
	check(sum == cache.sums[name], "tile %s has other points", name)
	program.answer(sum)
end

-- The window: its upper left corner in points of the map, which is round in both directions.
local view = { zoom = FIRST + 2, x = 0, y = 0, dx = 0, dy = 0, shown = {}, marks = {} }

function view.move(dx, dy)
	local size = SIDE << view.zoom
	view.x, view.y = (view.x + dx) % size, (view.y + dy) % size
end

-- Zooms around the middle of the window.
function view.zoom_by(step)
	local to = math.max(FIRST, math.min(view.zoom + step, LAST))
	if to == view.zoom then return end
	local x, y = view.x + options.width // 2, view.y + options.height // 2
	if to > view.zoom then
		x, y = x * 2, y * 2
	else
		x, y = x // 2, y // 2
	end
	view.zoom, view.x, view.y = to, 0, 0
	view.move(x - options.width // 2, y - options.height // 2)
end

-- Copies the visible part of a tile to the window's lines.
local function show_tile(tile, lines, left, top)
	local first, last = math.max(1, 1 - left), math.min(SIDE, options.width - left)
	for row = math.max(0, -top), math.min(SIDE, options.height - top) - 1 do
		local line = lines[top + row + 1]
		line[#line + 1] = tile:sub(row * SIDE + first, row * SIDE + last)
	end
end

-- Shows a frame; checks tiles that have come into view.
local function show()
	local side, lines, shown = 1 << view.zoom, {}, {}
	for i = 1, options.height do lines[i] = {} end
	for y = view.y // SIDE, (view.y + options.height - 1) // SIDE do
		for x = view.x // SIDE, (view.x + options.width - 1) // SIDE do
			local tile, name = cache.get(view.zoom, x % side, y % side)
			if not view.shown[name] then check_tile(tile, name) end
			shown[name] = true
			show_tile(tile, lines, x * SIDE - view.x, y * SIDE - view.y)
		end
	end
	view.shown = shown
	for i = 1, options.height do lines[i] = table.concat(lines[i]) end
	return table.concat(lines)
end

-- The user's action before the next frame.
local function act()
	local what = random(100)
	if what <= 4 then
		view.zoom_by(random(0, 1) * 2 - 1)
	elseif what <= 7 then
		view.marks[random(20)] = { view.zoom, view.x, view.y }
	elseif what <= 11 then
		local mark = view.marks[random(20)]
		if mark then view.zoom, view.x, view.y = table.unpack(mark) end
	elseif what <= 20 then
		view.dx, view.dy = random(-90, 90), random(-90, 90)
	end
	view.move(view.dx, view.dy)
end

-- Fill the cache with the tiles around the start, like a viewer that was used before.
program.phase("fill", options.tiles, function()
	make_cells()
	local middle, half = 1 << view.zoom - 1, math.floor(math.sqrt(options.tiles)) // 2
	view.x, view.y = middle * SIDE, middle * SIDE
	for y = middle - half, middle + half - 1 do
		for x = middle - half, middle + half - 1 do cache.get(view.zoom, x, y) end
	end
end)

program.phase("use", options.steps, function()
	for step = 1, options.steps do
		act()
		local frame = show()
		check(#frame == options.width * options.height, "a frame of %d points", #frame)
		if step % 10 == 0 then program.answer(program.sum(frame)) end
	end
end)

program.phase("check", cache.n, function()
	local slot = cache.older[END]
	local n = 0
	while slot ~= END do
		check_tile(cache.tiles[slot], cache.names[slot])
		n = n + 1
		slot = cache.older[slot]
	end
	check(n == cache.n and n == #cache.names, "%d tiles instead of %d", n, cache.n)
	program.answer(n)
end)
program.finish{ "hits", tostring(cache.hits), "misses", tostring(cache.misses) }
