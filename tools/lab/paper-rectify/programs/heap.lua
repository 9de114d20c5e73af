-- SPDX-License-Identifier: GPL-2.0
-- A heap of a garbage collector: many small objects. For each line that it reads it looks at other
-- ones than before, makes garbage, and puts new objects in the place of old ones.
local N = 110000
local objects, visit = {}, 0

local function make(i)
	return { id = i, name = "object " .. i, to = i % 997 }
end

for i = 1, N do
	objects[i] = make(i)
end
io.stdout:setvbuf("line")
for _ in io.lines() do
	visit = visit + 1
	local right, at = 0, visit * 104729
	for _ = 1, 3000 do
		at = (at * 1103515245 + 12345) % 2147483648
		local i = at % N + 1
		local object = objects[i]
		if object.id == i and object.name == "object " .. i then
			right = right + 1
		end
		if at % 8 == 0 then
			objects[i] = make(i)
		end
	end
	print(N .. " objects, right " .. right)
end
