-- SPDX-License-Identifier: GPL-2.0
-- A cache of the database's pages, and a copy of two thirds of the notes in memory.
PRAGMA cache_size = -4096;
PRAGMA temp_store = memory;
CREATE TEMP TABLE recent AS SELECT id, title, section, body FROM notes WHERE id % 3 < 2;
CREATE INDEX temp.recent_section ON recent (section, title);
