-- SPDX-License-Identifier: GPL-2.0
--
-- Marvin's types made of Lua's tables and strings, to compare programs with and without Marvin.
local plain = {}

local function type_of(methods)
	local meta = methods or {}
	meta.__index = meta
	function meta.close(t)
		for k in pairs(t) do t[k] = nil end
	end
	return meta
end

-- Bytes are a string.
local Bytes = type_of{
	__len = function(b) return #b.text end,
	sub = function(b, i, j) return b.text:sub(i, j) end,
	set = function(b, i, text)
		b.text = b.text:sub(1, i - 1) .. text .. b.text:sub(i + #text)
	end,
	fill = function(b, value) b.text = string.char(value):rep(#b.text) end,
}

function plain.bytes(from)
	return setmetatable({ text = type(from) == "string" and from or ("\0"):rep(from) }, Bytes)
end

local Array = type_of{
	fill = function(a, value) for i = 1, #a do a[i] = value end end,
}

local function array(zero)
	return function(from)
		local a = {}
		if type(from) == "table" then
			table.move(from, 1, #from, 1, a)
		else
			for i = 1, from do a[i] = zero end
		end
		return setmetatable(a, Array)
	end
end

plain.f64, plain.i32 = array(0.0), array(0)

-- Records are tables, one each.
local Records = type_of{
	get = function(r, i, name) return r[i][name] end,
	set = function(r, i, name, value) r[i][name] = value end,
}

function plain.record(fields)
	local zeroes = {}
	for _, field in ipairs(fields) do
		local kind, name = field:match("^(%S+) (%S+)$")
		zeroes[name] = kind == "f64" and 0.0 or kind == "i32" and 0 or ""
	end
	return function(n)
		local r = {}
		for i = 1, n do
			r[i] = {}
			for name, zero in pairs(zeroes) do r[i][name] = zero end
		end
		return setmetatable(r, Records)
	end
end

local List = type_of{
	append = function(l, value) l[#l + 1] = value end,
	insert = table.insert, remove = table.remove, concat = table.concat,
}

function plain.list(...)
	return setmetatable({ ... }, List)
end

function plain.map(from)
	local map = {}
	for k, v in pairs(from or map) do map[k] = v end
	return map
end

return plain
