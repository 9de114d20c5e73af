-- SPDX-License-Identifier: GPL-2.0
--
-- A table of orders in memory, with an index by number (hashed) and one by day (sorted). It answers
-- queries by number, by a range of days, and by a range of days joined with the customers; orders
-- are added, changed and deleted meanwhile. Sums by day and region are kept beside it to check the
-- answers.
package.path = (arg[0]:match("^.*/") or "./") .. "?.lua;" .. package.path
local program = require "program"
local options = program.begin("table", {
	{ "rows", 60000, "orders at the beginning", 1 },
	{ "customers", 5000, "who have ordered", 1 },
	{ "steps", 30000, "queries and changes" },
})
local marvin = program.types()
local random, check = math.random, program.check

local DAYS, REGIONS = 365, 8
local BLOCK = 1024	-- rows
local PARTS = 64	-- of the hashed index
local LEAF = 512	-- entries of a part of the sorted index, at most

local Order = marvin.record{ "i32 number", "i32 customer", "i32 day", "i32 check", "f64 cents",
			     "bytes[24] note" }
local Customer = marvin.record{ "i32 region", "f64 cents", "bytes[20] name" }

-- Rows are in blocks; free ones are used first.
local rows = { blocks = {}, n = 0, free = marvin.list() }

function rows.at(nr)
	return rows.blocks[(nr - 1) // BLOCK + 1], (nr - 1) % BLOCK + 1
end

function rows.new()
	if #rows.free > 0 then return rows.free:remove() end
	rows.n = rows.n + 1
	if rows.n > #rows.blocks * BLOCK then rows.blocks[#rows.blocks + 1] = Order(BLOCK) end
	return rows.n
end

-- The hashed index: row by number.
local by_number = {}
for i = 1, PARTS do by_number[i] = marvin.map() end

local function part_of(number)
	return by_number[number % PARTS + 1]
end

-- The sorted index: entries of day and row, in leaves; first is the least that is in a leaf.
local by_day = { leaves = { marvin.list() }, first = { 0 } }

-- The last place in a sorted row whose value is not above value, or 0.
local function place(values, value)
	local low, high = 1, #values + 1
	while low < high do
		local middle = (low + high) // 2
		if values[middle] > value then high = middle else low = middle + 1 end
	end
	return low - 1
end

local function entry_of(day, row)
	return day << 32 | row
end

function by_day.split(i)
	local leaf, upper = by_day.leaves[i], marvin.list()
	for k = LEAF // 2 + 1, #leaf do upper:append(leaf[k]) end
	for _ = 1, #upper do leaf:remove() end
	table.insert(by_day.leaves, i + 1, upper)
	table.insert(by_day.first, i + 1, upper[1])
end

function by_day.add(day, row)
	local entry = entry_of(day, row)
	local i = place(by_day.first, entry)
	local leaf = by_day.leaves[i]
	leaf:insert(place(leaf, entry) + 1, entry)
	if #leaf > LEAF then by_day.split(i) end
end

function by_day.remove(day, row)
	local entry = entry_of(day, row)
	local i = place(by_day.first, entry)
	local leaf = by_day.leaves[i]
	local at = place(leaf, entry)
	check(at > 0 and leaf[at] == entry, "day %d: row %d is not in the index", day, row)
	leaf:remove(at)
	if #leaf == 0 and i > 1 then
		table.remove(by_day.leaves, i):close()
		table.remove(by_day.first, i)
	end
end

-- Goes through the rows of some days.
function by_day.rows(from, to)
	local entry, last = entry_of(from, 0), entry_of(to + 1, 0)
	local i = place(by_day.first, entry)
	local at = place(by_day.leaves[i], entry)
	return function()
		at = at + 1
		while by_day.leaves[i] and at > #by_day.leaves[i] do i, at = i + 1, 1 end
		local found = by_day.leaves[i] and by_day.leaves[i][at] or last
		if found < last then return found & 0xFFFFFFFF, found >> 32 end
	end
end

local customers = Customer(options.customers)

-- The right answers: cents by day and region, and number of orders by day.
local model = { rows = 0, numbers = 0, cents = {}, orders = {} }
for day = 1, DAYS do
	model.cents[day], model.orders[day] = {}, 0
	for region = 1, REGIONS do model.cents[day][region] = 0 end
end

local function count(customer, day, orders, cents)
	local region = customers:get(customer, "region")
	customers:set(customer, "cents", customers:get(customer, "cents") + cents)
	model.cents[day][region] = model.cents[day][region] + cents
	model.orders[day] = model.orders[day] + orders
	model.rows = model.rows + orders
end

local function note_of(number, cents)
	return ("order %d, %d.%02d"):format(number, cents // 100, cents % 100)
end

local function check_of(number, customer, day, cents)
	return (number * 31 + customer * 17 + day * 13 + cents) % 0x7FFFFFFF
end

local function write(row, number, customer, day, cents)
	local block, i = rows.at(row)
	block:set(i, "number", number)
	block:set(i, "customer", customer)
	block:set(i, "day", day)
	block:set(i, "cents", cents)
	block:set(i, "note", note_of(number, cents))
	block:set(i, "check", check_of(number, customer, day, cents))
end

-- Reads a row and checks it.
local function read(row)
	local block, i = rows.at(row)
	local number, customer = block:get(i, "number"), block:get(i, "customer")
	local day, cents = block:get(i, "day"), math.tointeger(block:get(i, "cents")) or 0
	check(block:get(i, "check") == check_of(number, customer, day, cents), "row %d", row)
	check(block:get(i, "note") == note_of(number, cents), "row %d: its note", row)
	return number, customer, day, cents
end

local next_number = 1

local function add()
	local number, row = next_number, rows.new()
	local customer, day = random(options.customers), random(DAYS)
	local cents = random(1000000)
	next_number = number + 1
	write(row, number, customer, day, cents)
	part_of(number)[number] = row
	by_day.add(day, row)
	count(customer, day, 1, cents)
	model.numbers = model.numbers + number
end

-- A random order, if it still exists: row, number and its other fields.
local function any()
	local wanted = random(next_number - 1)
	local row = part_of(wanted)[wanted]
	if not row then return end
	local number, customer, day, cents = read(row)
	check(number == wanted, "row %d: order %d instead of %d", row, number, wanted)
	return row, number, customer, day, cents
end

local steps = { add = add }

function steps.number()
	local _, _, _, _, cents = any()
	program.answer(cents or 0)
end

function steps.range()
	local from = random(DAYS)
	local to = math.min(DAYS, from + random(0, 2))
	local orders, sum = 0, 0
	for row, day in by_day.rows(from, to) do
		local _, _, its, cents = read(row)
		check(its == day, "row %d: day %d instead of %d", row, its, day)
		orders, sum = orders + 1, sum + cents
	end
	for day = from, to do
		orders = orders - model.orders[day]
		for region = 1, REGIONS do sum = sum - model.cents[day][region] end
	end
	check(orders == 0 and sum == 0, "days %d to %d: %d orders and %d cents too many", from, to,
	      orders, sum)
end

function steps.join()
	local day, sums = random(DAYS), {}
	for region = 1, REGIONS do sums[region] = 0 end
	for row in by_day.rows(day, day) do
		local _, customer, _, cents = read(row)
		local region = customers:get(customer, "region")
		sums[region] = sums[region] + cents
	end
	for region = 1, REGIONS do
		local cents = model.cents[day][region]
		check(sums[region] == cents, "day %d, region %d: %d instead of %d", day, region,
		      sums[region], cents)
		program.answer(sums[region])
	end
end

-- Another price, at another day.
function steps.change()
	local row, number, customer, day, cents = any()
	if not row then return end
	local to, price = random(4) == 1 and random(DAYS) or day, random(1000000)
	count(customer, day, -1, -cents)
	count(customer, to, 1, price)
	if to ~= day then
		by_day.remove(day, row)
		by_day.add(to, row)
	end
	write(row, number, customer, to, price)
end

function steps.delete()
	local row, number, customer, day, cents = any()
	if not row then return end
	by_day.remove(day, row)
	part_of(number)[number] = nil
	rows.free:append(row)
	count(customer, day, -1, -cents)
	model.numbers = model.numbers - number
end

program.phase("fill", options.rows, function()
	for i = 1, options.customers do
		customers:set(i, "region", random(REGIONS))
		customers:set(i, "name", ("customer %d"):format(i))
	end
	for _ = 1, options.rows do add() end
end)

program.phase("use", options.steps, function()
	local choice = program.choice({ { "number", 50 }, { "change", 25 }, { "add", 10 },
					{ "delete", 10 }, { "join", 3 }, { "range", 2 } }, steps)
	for _ = 1, options.steps do choice[random(#choice)]() end
end)

local function check_customers()
	local cents, all = 0, 0
	for i = 1, options.customers do
		check(customers:get(i, "name") == ("customer %d"):format(i), "customer %d: name", i)
		cents = cents + customers:get(i, "cents")
	end
	for day = 1, DAYS do
		for region = 1, REGIONS do all = all + model.cents[day][region] end
	end
	check(cents == all, "customers have ordered for %.0f cents instead of %.0f", cents, all)
end

program.phase("check", model.rows, function()
	local found, numbers, last = 0, 0, 0
	for row, day in by_day.rows(1, DAYS) do
		local number, _, its = read(row)
		check(its == day and day >= last, "row %d: day %d, in the index %d", row, its, day)
		check(part_of(number)[number] == row, "order %d is not in the index", number)
		found, numbers, last = found + 1, numbers + number, day
	end
	check(found == model.rows and numbers == model.numbers, "%d orders instead of %d", found,
	      model.rows)
	local entries = 0
	for i = 1, PARTS do
		for _ in pairs(by_number[i]) do entries = entries + 1 end
	end
	check(entries == model.rows, "%d orders in the index instead of %d", entries, model.rows)
	check_customers()
	program.answer(numbers)
end)
program.finish{ "rows", tostring(model.rows) }
