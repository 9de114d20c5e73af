#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# draw.sh: draw NAME.svg from each NAME.dot, by graphviz. draw.sh --check: print each picture that
# is older than its source, one a line, and fail then; this needs no graphviz. A picture ends with
# the checksum of its source.
cd "$(dirname "$0")" || exit 2
status=0
for source in *.dot; do
	picture=${source%.dot}.svg
	mark="<!-- $source $(cksum < "$source") -->"
	if [ "$1" != --check ]; then
		{ dot -Tsvg "$source" && echo "$mark"; } > "$picture" || exit 1
	elif [ "$(tail -n 1 "$picture")" != "$mark" ]; then
		echo "Documentation/pictures/$picture: run Documentation/pictures/draw.sh"
		status=1
	fi
done
exit $status
