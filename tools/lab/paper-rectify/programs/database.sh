#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# database.sh DATABASE: the shell of SQLite with a database. It reads begin.sql at its start; for
# each line that this script reads, it reads visit.sql, which gives one line.
{
	echo ".read ${0%/*}/begin.sql"
	while read -r _; do
		echo ".read ${0%/*}/visit.sql"
	done
} | exec sqlite3 -batch -readonly -bail "$1"
