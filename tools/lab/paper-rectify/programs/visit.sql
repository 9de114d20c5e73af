-- SPDX-License-Identifier: GPL-2.0
-- Searches by words, by key and by section, in one line.
SELECT printf('%d notes, %d of memory, %d with their texts, %d in short, %s',
	(SELECT count(*) FROM notes WHERE id BETWEEN 1000 AND 3000),
	(SELECT count(*) FROM found WHERE found MATCH 'memory AND page'),
	(SELECT sum(length(body)) FROM notes JOIN (SELECT rowid AS id FROM found
		WHERE found MATCH 'file AND error' ORDER BY rowid LIMIT 200) USING (id)),
	(SELECT sum(length(short)) FROM (SELECT snippet(found, 0, '[', ']', '...', 12) AS short
		FROM found WHERE found MATCH 'process' ORDER BY rowid LIMIT 100)),
	(SELECT group_concat(section || ' ' || n || ' ' || size, ', ') FROM (SELECT section, count(*) AS n,
		sum(length(body)) AS size FROM recent WHERE section BETWEEN 2 AND 3 GROUP BY section)));
