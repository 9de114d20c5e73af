-- SPDX-License-Identifier: GPL-2.0
--
-- A text editor without its screen: large files in blocks of bytes; it works on one file at a
-- time, with edits, search, undo and redo. At the end it undoes all edits of all files: each file
-- has to equal the loaded one. Then it redoes them: each file has to equal the edited one.
package.path = (arg[0]:match("^.*/") or "./") .. "?.lua;" .. package.path
local program = require "program"
local options = program.begin("editor", {
	{ "mib", 16, "MiB of text", 1 },
	{ "files", 8, "in so many files", 1 },
	{ "steps", 5000, "edits and searches" },
	{ "stay", 100, "steps in one file, before the user goes to another one", 1 },
})
local marvin = program.types()
local random, check = math.random, program.check

local BLOCK = 16384	-- bytes of a block; not all of them are in use
local LOAD = 12288	-- in use, where there is a choice
local PIECE = 65536	-- of a text, to go through it

-- A text is a row of blocks. at is the block of the last access, before the number of bytes before
-- it. The next search starts there, because the next access is near.
local Text = {}
Text.__index = Text

function Text.new()
	return setmetatable({ blocks = {}, used = {}, n = 0, at = 1, before = 0 }, Text)
end

-- Returns the block of the byte at pos, and the byte in it. pos may be one past the end.
function Text:seek(pos)
	local used, i, before = self.used, self.at, self.before
	while i > 1 and pos <= before do
		i = i - 1
		before = before - used[i]
	end
	while i < #used and pos > before + used[i] do
		before = before + used[i]
		i = i + 1
	end
	self.at, self.before = i, before
	return i, pos - before
end

-- Adds a block with a text that fits in one.
function Text:add_block(i, text)
	local block = marvin.bytes(BLOCK)
	block:set(1, text)
	table.insert(self.blocks, i, block)
	table.insert(self.used, i, #text)
end

function Text:remove_block(i)
	table.remove(self.blocks, i):close()
	table.remove(self.used, i)
	self.at, self.before = 1, 0
end

function Text:sub(first, last)
	local parts = {}
	local i, at = self:seek(first)
	local left = math.min(last, self.n) - first + 1
	while left > 0 do
		local n = math.min(left, self.used[i] - at + 1)
		parts[#parts + 1] = self.blocks[i]:sub(at, at + n - 1)
		left, i, at = left - n, i + 1, 1
	end
	return table.concat(parts)
end

function Text:insert(pos, text)
	self.n = self.n + #text
	if not self.blocks[1] then self:add_block(1, "") end
	local i, at = self:seek(pos)
	local block, used = self.blocks[i], self.used[i]
	text = text .. block:sub(at, used)
	local fits = #text
	if at + fits - 1 > BLOCK then fits = math.max(0, math.min(fits, LOAD - at + 1)) end
	block:set(at, text:sub(1, fits))
	self.used[i] = at - 1 + fits
	for from = fits + 1, #text, LOAD do
		i = i + 1
		self:add_block(i, text:sub(from, math.min(from + LOAD - 1, #text)))
	end
end

function Text:delete(pos, n)
	self.n = self.n - n
	while n > 0 do
		local i, at = self:seek(pos)
		local block, used = self.blocks[i], self.used[i]
		local here = math.min(n, used - at + 1)
		block:set(at, block:sub(at + here, used))
		self.used[i] = used - here
		if used == here and #self.blocks > 1 then self:remove_block(i) end
		n = n - here
	end
end

-- The first place from pos on, or nil.
function Text:find(what, pos)
	local i, at = self:seek(pos)
	local rest = ""
	while self.blocks[i] do
		local part = rest .. self.blocks[i]:sub(at, self.used[i])
		local found = part:find(what, 1, true)
		if found then return pos + found - 1 end
		rest = part:sub(math.max(1, #part - #what + 2))
		pos = pos + #part - #rest
		i, at = i + 1, 1
	end
end

function Text:sum()
	local sum = 0
	for first = 1, self.n, PIECE do
		sum = program.sum(self:sub(first, math.min(first + PIECE - 1, self.n)), sum)
	end
	return sum
end

-- A journal has all edits of a text: place, old bytes, new bytes. Its pages are lists.
local Journal = {}
Journal.__index = Journal

local PAGE = 128	-- edits

function Journal.new()
	return setmetatable({ pages = {}, n = 0, done = 0 }, Journal)
end

function Journal:add(pos, old, new)
	while self.n > self.done do self:forget() end
	self.n = self.n + 1
	self.done = self.n
	local page = self.pages[#self.pages]
	if self.n % PAGE == 1 then
		page = marvin.list()
		self.pages[#self.pages + 1] = page
	end
	page:append(pos)
	page:append(old)
	page:append(new)
end

-- Drops the last edit.
function Journal:forget()
	local page = self.pages[#self.pages]
	for _ = 1, 3 do page:remove() end
	self.n = self.n - 1
	if #page == 0 then table.remove(self.pages):close() end
end

function Journal:get(nr)
	local page, at = self.pages[(nr - 1) // PAGE + 1], (nr - 1) % PAGE * 3
	return page[at + 1], page[at + 2], page[at + 3]
end

-- A file that is open: its text, journal, and a cursor.
local File = {}
File.__index = File

function File:replace(pos, old, new)
	check(self.text:sub(pos, pos + #old - 1) == old, "file %d: other text at %d", self.nr, pos)
	self.text:delete(pos, #old)
	self.text:insert(pos, new)
	self.cursor = pos
end

-- Replaces n bytes at pos.
function File:edit(pos, n, new)
	local old = self.text:sub(pos, pos + n - 1)
	self:replace(pos, old, new)
	self.journal:add(pos, old, new)
	return old
end

function File:undo()
	local journal = self.journal
	if journal.done == 0 then return false end
	local pos, old, new = journal:get(journal.done)
	self:replace(pos, new, old)
	journal.done = journal.done - 1
	return true
end

function File:redo()
	local journal = self.journal
	if journal.done == journal.n then return false end
	journal.done = journal.done + 1
	self:replace(journal:get(journal.done))
	return true
end

-- Texts are lines of a number and a sentence.
local words, sentences = {}, {}

local function make_sentences()
	local syllables = { "ka", "lo", "mi", "ter", "san", "du", "ve", "ri", "ston", "pa", "ne",
			    "gul" }
	for i = 1, 400 do
		words[i] = ""
		for _ = 1, random(4) do words[i] = words[i] .. syllables[random(#syllables)] end
	end
	for i = 1, 2000 do
		local sentence = {}
		for k = 1, random(4, 12) do sentence[k] = words[random(20 * random(20))] end
		sentences[i] = table.concat(sentence, " ")
	end
end

-- Loads a file piece by piece and sums up its checksum from the pieces.
local function load_file(nr, bytes)
	local file = setmetatable({ nr = nr, text = Text.new(), journal = Journal.new(), cursor = 1,
				    loaded = 0 }, File)
	local line, rest = 0, ""
	while bytes > 0 do
		local lines, n = { rest }, #rest
		while n < PIECE do
			line = line + 1
			local sentence = sentences[random(#sentences)]
			lines[#lines + 1] = ("%06d %s\n"):format(line, sentence)
			n = n + #lines[#lines]
		end
		local all, wanted = table.concat(lines), math.min(PIECE, bytes)
		local piece = all:sub(1, wanted)
		rest = all:sub(wanted + 1)
		file.text:insert(file.text.n + 1, piece)
		file.loaded = program.sum(piece, file.loaded)
		bytes = bytes - wanted
	end
	return file
end

local clipboard = ""
local actions = {}

function actions.type(file)
	local sentence = sentences[random(#sentences)]
	file:edit(file.cursor, 0, sentence:sub(1, random(#sentence)))
end

function actions.delete(file)
	file:edit(file.cursor, math.min(random(200), file.text.n - file.cursor + 1), "")
end

function actions.cut(file)
	local n = math.min(random(20000), file.text.n - file.cursor + 1)
	clipboard = file:edit(file.cursor, n, "")
end

function actions.paste(file)
	file:edit(file.cursor, 0, clipboard)
end

function actions.replace(file)
	local word = words[random(#words)]
	local found = file.text:find(word, file.cursor)
	if found then file:edit(found, #word, words[random(#words)]) end
end

function actions.find(file)
	local line = ("\n%06d "):format(random(file.text.n // 50 + 1))
	local found = file.text:find(line, file.cursor) or file.text:find(line, 1)
	program.answer(found or 0)
	if not found then return end
	check(file.text:sub(found, found + #line - 1) == line, "file %d: found at %d", file.nr,
	      found)
	file.cursor = found + 1
end

function actions.undo(file)
	for _ = 1, random(20) do file:undo() end
end

function actions.redo(file)
	for _ = 1, random(20) do file:redo() end
end

-- The user's actions in percent.
local shares = {
	{ "type", 45 }, { "delete", 20 }, { "cut", 5 }, { "paste", 5 }, { "replace", 10 },
	{ "find", 5 }, { "undo", 5 }, { "redo", 5 },
}

local files = {}

program.phase("fill", 0, function()
	make_sentences()
	for nr = 1, options.files do
		files[nr] = load_file(nr, (options.mib << 20) // options.files)
	end
end)

program.phase("use", options.steps, function()
	local choice, file = program.choice(shares, actions), files[1]
	for step = 1, options.steps do
		if step % options.stay == 0 then file = files[random(#files)] end
		local cursor = file.cursor + random(-2000, 2000)
		file.cursor = math.max(1, math.min(cursor, file.text.n + 1))
		choice[random(#choice)](file)
	end
end)

local edits = 0

program.phase("check", 0, function()
	for _, file in ipairs(files) do
		local journal, done = file.journal, file.journal.done
		local edited = file.text:sum()
		program.answer(edited)
		while file:undo() do end
		check(file.text:sum() == file.loaded, "file %d: not what was loaded", file.nr)
		while journal.done < done do file:redo() end
		check(file.text:sum() == edited, "file %d: not what was undone", file.nr)
		edits = edits + done
	end
end)
program.finish{ "edits", tostring(edits) }
