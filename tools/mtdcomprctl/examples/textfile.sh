#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# textfile.sh [DIR]: statistics of all devices into DIR/mtdcompr.prom, for node_exporter's textfile
# collector (--collector.textfile.directory=DIR). To be run each minute or so, by cron or by the
# timer beside it. The collector never sees half of a file.
set -eu
dir=${1:-/var/lib/prometheus/node-exporter}
new=$dir/mtdcompr.prom.$$
trap 'rm -f "$new"' EXIT
mtdcomprctl stats --openmetrics > "$new"
chmod 644 "$new"
mv "$new" "$dir/mtdcompr.prom"
