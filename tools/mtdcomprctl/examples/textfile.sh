#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# textfile.sh [DIR]: write the statistics of all devices to DIR/mtdcompr.prom, for node_exporter's
# textfile collector (--collector.textfile.directory=DIR). Run it about once a minute, by cron or by
# the timer beside it. The collector never sees half of a file. It reads Prometheus' older format:
# the TYPE and HELP lines of a counter end in _total, too, and UNIT lines are left out.
#
# It may run as root in another user's directory: it follows no link there and changes only
# mtdcompr.prom. It refuses a directory where other users could replace that file.
set -eu
umask 022
dir=${1:-/var/lib/prometheus/node-exporter}

refused()
{
	echo "textfile.sh: $dir: $1" >&2
	exit 1
}

# Use "." from here on, because the directory may be renamed.
cd -- "$dir" || exit 1
[ -z "$(find . -prune ! -perm -1000 \( -perm -0020 -o -perm -0002 \))" ] ||
	refused "others may replace files there: \"chmod go-w\" it, or give another directory"
[ -w . ] || refused "this user may not write there"
stats=$(mtdcomprctl stats --openmetrics)
# The name is random, and with -C the shell opens no existing file: no link can wait under it.
new=$(mktemp -u ./mtdcompr.prom.XXXXXXXXXXXX)
set -C
exec 3> "$new"
trap 'rm -f "$new"' EXIT
trap 'exit 1' HUP INT TERM
printf '%s\n' "$stats" | awk '
	$1 == "#" && ($2 == "UNIT" || $2 == "EOF") { next }
	$1 == "#" && $2 == "TYPE" { counter = $4 == "counter" }
	$1 == "#" && counter { $3 = $3 "_total" }
	{ print }' >&3
exec 3>&-
# -T: fail if the name is a directory or a link to one.
mv -f -T "$new" mtdcompr.prom
