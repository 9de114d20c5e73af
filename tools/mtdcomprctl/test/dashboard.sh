#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# dashboard.sh: test the examples with node_exporter and Prometheus, as one TAP stream; exit status
# 0 only if nothing failed. For two boards (recorded trees), textfile.sh writes the statistics,
# node_exporter serves them and Prometheus collects them; then dashboard.py sends Prometheus the
# query of each panel.
#
# Prometheus and node_exporter are Debian's, unpacked in the cache. Both listen on 127.0.0.1 only.
#
# O  directory for the output (build/mtdcomprctl-dashboard)
#
# job: packages dashboard
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../../qemu/lib.sh
. "$here/../../../qemu/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../../selftests/tap.sh
. "$top/selftests/tap.sh"
out=${O:-$build/mtdcomprctl-dashboard}
unset O
examples=$here/../examples
programs=$cache/metrics
pids=()
rm -rf "$out"
mkdir -p "$out/bin"
# Ends only processes started here.
trap '[ ${#pids[@]} = 0 ] || { kill "${pids[@]}"; wait; } 2> /dev/null' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

get_programs()
{
	"$top/qemu/debs.sh" bookworm "$(dpkg --print-architecture)" unpack "$programs" \
		prometheus prometheus-node-exporter
}

# port: print a free port
port()
{
	/usr/bin/python3 -c '
import socket
with socket.socket() as one:
    one.bind(("127.0.0.1", 0))
    print(one.getsockname()[1])'
}

# board NAME: serve its statistics; add the port to $boards
board()
{
	local name=$1 port

	unpack_tree "$here/trees/$name.tree" "$out/$name"
	mkdir -p "$out/$name/run" "$out/$name/dev" "$out/$name.prom"
	write_statistics "$name" || return 1
	port=$(port)
	"$programs/usr/bin/prometheus-node-exporter" --web.listen-address="127.0.0.1:$port" \
		--collector.disable-defaults --collector.textfile \
		--collector.textfile.directory="$out/$name.prom" > "$out/$name.log" 2>&1 &
	pids+=($!)
	boards="${boards:+$boards, }'127.0.0.1:$port'"
}

# write_statistics NAME: run textfile.sh, which finds mtdcomprctl in PATH
write_statistics()
{
	printf '#!/bin/sh\nexec "%s" --sysroot "%s" "$@"\n' "$out/mtdcomprctl" "$out/$1" \
		> "$out/bin/mtdcomprctl"
	chmod 755 "$out/bin/mtdcomprctl"
	PATH=$out/bin:$PATH "$examples/textfile.sh" "$out/$1.prom"
}

prometheus()
{
	asked=$(port)
	cat > "$out/prometheus.yml" <<-END
		global: { scrape_interval: 1s }
		scrape_configs:
		  - job_name: boards
		    static_configs: [ { targets: [ $boards ] } ]
	END
	"$programs/usr/bin/promtool" check config "$out/prometheus.yml" || return 1
	"$programs/usr/bin/prometheus" --config.file="$out/prometheus.yml" \
		--storage.tsdb.path="$out/tsdb" --web.listen-address="127.0.0.1:$asked" \
		> "$out/prometheus.log" 2>&1 &
	pids+=($!)
}

boards='' asked=''
"$top/qemu/setup.sh" ctl
try "Prometheus and node_exporter can be had" get_programs || { end_results; exit 1; }
try "mtdcomprctl is built" make -s -C "$here/.." O="$out" || { end_results; exit 1; }
try "a board with RAM is served" board ram || :
try "a board with flash is served" board flash || :
try "promtool takes the metrics" "$programs/usr/bin/promtool" check metrics < "$out/flash.prom/mtdcompr.prom" || :
try "Prometheus is started" prometheus || :
status=0
/usr/bin/python3 "$here/dashboard.py" "$examples/grafana-dashboard.json" \
	"http://127.0.0.1:$asked" > "$out/panels.tap" 2>&1 || status=$?
pass_on $status "$out/panels.tap" ""
end_results
