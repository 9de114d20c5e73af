-- SPDX-License-Identifier: GPL-2.0
--
-- Shared by the programs in this directory: options, choice of the types, phases, checks, and the
-- line of results.
local program = { wrong = 0, phases = {}, digest = 0 }

-- Exit statuses, as of ../loads.h.
local FAILED <const>, USAGE <const>, WRONG <const>, LOST <const> = 1, 2, 3, 4

local common = {
	{ "types", "marvin", "marvin, or lua: the same of Lua's tables and strings" },
	{ "module", "", "directory of marvin.so; without it Lua looks for modules as ever" },
	{ "tick", 0, "milliseconds from tick to tick; 0: as Marvin has it" },
	{ "collector", "incremental", "incremental or generational" },
	{ "seed", 1, "of all that is random" },
	{ "pause", 0, "1: after each phase it waits for lines on standard input: \"collect\" is a\n"
	  .. (" "):rep(14) .. "full collection, and any other goes on" },
}

local function bad(format, ...)
	io.stderr:write(program.name, ": ", format:format(...), "\n")
	os.exit(USAGE)
end

local function usage(all)
	print(("usage: %s.lua [OPTION VALUE]..."):format(program.name))
	for _, option in ipairs(all) do
		local default = option[2] == "" and "" or (" (%s)"):format(option[2])
		print(("  --%-10s %s%s"):format(option[1], option[3], default))
	end
	print("exit status: 0 right; 1 an error; 2 wrong usage; 3 wrong bytes; "
	      .. "4 an object is lost")
	os.exit(0)
end

local function value_of(option, text)
	if not text then bad("--%s: it takes a value", option[1]) end
	if type(option[2]) == "string" then return text end
	local number = text:match("^%d+$") and math.tointeger(tonumber(text))
	local least = option[4] or 0
	if not number or number < least or number > 1000000 then
		bad("--%s %s: it takes a number from %d to 1000000", option[1], text, least)
	end
	return number
end

-- Reads the options; own options are { name, default, description, minimum }.
function program.begin(name, own)
	local all, options = {}, {}
	program.name = name
	for _, list in ipairs{ own, common } do table.move(list, 1, #list, #all + 1, all) end
	for _, option in ipairs(all) do
		options[option[1]] = option[2]
		all["--" .. option[1]] = option
	end
	local i = 1
	while arg[i] do
		if arg[i] == "-h" or arg[i] == "--help" then usage(all) end
		local option = all[arg[i]]
		if not option then bad("unknown option \"%s\"; see --help", arg[i]) end
		options[option[1]] = value_of(option, arg[i + 1])
		i = i + 2
	end
	if options.collector ~= "incremental" and options.collector ~= "generational" then
		bad("--collector %s: incremental or generational", options.collector)
	end
	collectgarbage(options.collector)
	math.randomseed(options.seed)
	program.options = options
	return options
end

-- Returns Marvin's module or a replacement with the same types.
function program.types()
	local options = program.options
	if options.types == "lua" then return require "plain" end
	if options.types ~= "marvin" then bad("--types %s: marvin or lua", options.types) end
	if options.module ~= "" then package.cpath = options.module .. "/?.so" end
	local found, marvin = pcall(require, "marvin")
	if not found and marvin:find("^module 'marvin' not found") then
		bad("there is no module marvin: build it (make -C tools/marvin/lua), and name its "
		    .. "directory by --module")
	end
	if not found then bad("%s", marvin) end
	if options.tick > 0 then
		marvin.open{ foreground_ms = options.tick, background_ms = options.tick }
	end
	program.marvin = marvin
	return marvin
end

local function stats()
	if program.marvin then return program.marvin.stats() end
	return { bytes = 0, written = 0, given = 0, loads = 0, loaded = 0, dropped = 0 }
end

local function collect()
	local before, begin = stats(), os.clock()
	collectgarbage()
	local took = os.clock() - begin
	local after = stats()
	return ("%s collected took_us %.0f brought %d heap_kib %.0f bytes %d given %d"):format(
		program.name, took * 1000000, after.loads - before.loads,
		collectgarbage("count"), after.bytes, after.given)
end

local function pause(name)
	print(("%s pause %s"):format(program.name, name))
	io.stdout:flush()
	while io.read() == "collect" do
		print(collect())
		io.stdout:flush()
	end
end

-- Prints the error of a phase and ends the program.
local function fail(trace)
	local lost = trace:find("the object is lost", 1, true)
		or trace:find("the object cannot be read", 1, true)
	io.stderr:write(program.name, ": ", trace, "\n")
	os.exit(lost and LOST or FAILED, true)
end

-- Runs a phase; steps is for the results.
function program.phase(name, steps, run)
	local begin = os.clock()
	local good, trace = xpcall(run, debug.traceback)
	if not good then fail(tostring(trace)) end
	local phase = { name = name, steps = steps, seconds = os.clock() - begin }
	program.phases[#program.phases + 1] = phase
	if program.options.pause > 0 then pause(name) end
end

-- Functions, each as often as its share says: { name, share }.
function program.choice(shares, functions)
	local choice = {}
	for _, share in ipairs(shares) do
		for _ = 1, share[2] do choice[#choice + 1] = functions[share[1]] end
	end
	return choice
end

-- Counts a failed check. Prints the first ones.
function program.check(good, format, ...)
	if good then return end
	program.wrong = program.wrong + 1
	if program.wrong <= 10 then
		io.stderr:write(program.name, ": wrong: ", format:format(...), "\n")
	end
end

local unpack = string.unpack

-- Adds a text to a checksum. Each step is one to one, so a change of a single word is always seen.
function program.sum(text, sum)
	local words = #text // 64 * 64
	sum = (sum or 0) ~ #text
	for i = 1, words, 64 do
		local a, b, c, d, e, f, g, h = unpack("<i8i8i8i8i8i8i8i8", text, i)
		sum = ((((sum ~ a) * 0x9E3779B97F4A7C15 ~ b) * 0x9E3779B97F4A7C15 ~ c) *
		       0x9E3779B97F4A7C15 ~ d) * 0x9E3779B97F4A7C15
		sum = sum ~ sum >> 29
		sum = ((((sum ~ e) * 0x9E3779B97F4A7C15 ~ f) * 0x9E3779B97F4A7C15 ~ g) *
		       0x9E3779B97F4A7C15 ~ h) * 0x9E3779B97F4A7C15
		sum = sum ~ sum >> 29
	end
	for i = words + 1, #text do sum = (sum ~ text:byte(i)) * 0x9E3779B97F4A7C15 end
	return sum ~ sum >> 29
end

-- Adds an answer to the digest, which is the same for all types.
function program.answer(number)
	program.digest = (program.digest ~ number) * 0x9E3779B97F4A7C15
	program.digest = program.digest ~ program.digest >> 29
end

-- The line of results. More is keys and values, one after the other.
function program.finish(more)
	local line = { program.name, "result" }
	for _, phase in ipairs(program.phases) do
		line[#line + 1] = ("%s_us %.0f"):format(phase.name, phase.seconds * 1000000)
		if phase.steps > 0 then
			line[#line + 1] = ("%s_step_us %.2f"):format(phase.name,
				phase.seconds * 1000000 / phase.steps)
		end
	end
	table.move(more, 1, #more, #line + 1, line)
	local now = stats()
	line[#line + 1] = ("heap_kib %.0f bytes %d"):format(collectgarbage("count"), now.bytes)
	line[#line + 1] = ("written %d loads %d loaded %d dropped %d"):format(now.written,
		now.loads, now.loaded, now.dropped)
	line[#line + 1] = ("digest %016x wrong %d verdict %s"):format(program.digest,
		program.wrong, program.wrong == 0 and "right" or "wrong")
	print(table.concat(line, " "))
	os.exit(program.wrong == 0 or WRONG, true)
end

return program
