-- SPDX-License-Identifier: GPL-2.0
--
-- TAP for the tests in Lua: case() runs a function; an expectation that fails raises an error.
local tap = { n = 0, failed = 0 }

function tap.case(name, run)
	local good, message = xpcall(run, debug.traceback)
	tap.n = tap.n + 1
	if not good then
		tap.failed = tap.failed + 1
		print((message:gsub("[^\n]+", "# %0")))
	end
	print(("%s %d - %s"):format(good and "ok" or "not ok", tap.n, name))
end

function tap.note(...)
	print("# " .. string.format(...))
end

-- The same value, and of the same kind of number.
function tap.same(got, want, what)
	if got ~= want or math.type(got) ~= math.type(want) then
		error(("%s: %s instead of %s"):format(what or "value", tostring(got),
						       tostring(want)), 2)
	end
end

-- It raises an error that contains the text.
function tap.fails(text, run, ...)
	local good, message = pcall(run, ...)
	if good then error("no error; it should be: " .. text, 2) end
	if not tostring(message):find(text, 1, true) then
		error(("the error is \"%s\" instead of \"%s\""):format(message, text), 2)
	end
end

function tap.finish()
	print("1.." .. tap.n)
	os.exit(tap.failed == 0, true)
end

-- Numbers that are the same everywhere.
local state = tonumber(os.getenv("MTDC_SEED") or 1)

function tap.random(n)
	state = (state * 6364136223846793005 + 1442695040888963407)
	return (state >> 33) % n + 1
end

return tap
