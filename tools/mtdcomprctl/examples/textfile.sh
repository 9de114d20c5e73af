#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# textfile.sh [DIR]: statistics of all devices into DIR/mtdcompr.prom, for node_exporter's textfile
# collector (--collector.textfile.directory=DIR). To be run each minute or so, by cron or by the
# timer beside it. The collector never sees half of a file. It reads Prometheus' older format:
# the TYPE and HELP lines of a counter end in _total, too, and there are no UNIT lines.
set -eu
dir=${1:-/var/lib/prometheus/node-exporter}
new=$dir/mtdcompr.prom.$$
trap 'rm -f "$new"' EXIT
stats=$(mtdcomprctl stats --openmetrics)
printf '%s\n' "$stats" | awk '
	$1 == "#" && ($2 == "UNIT" || $2 == "EOF") { next }
	$1 == "#" && $2 == "TYPE" { counter = $4 == "counter" }
	$1 == "#" && counter { $3 = $3 "_total" }
	{ print }' > "$new"
chmod 644 "$new"
mv "$new" "$dir/mtdcompr.prom"
