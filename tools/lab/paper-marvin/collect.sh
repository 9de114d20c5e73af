#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# collect.sh GROUP PERCENT PROGRAM [OPTION...]: measure a full collection of a program of
# marvin-load/lua while all of it is in memory, and with PERCENT of its memory out. To make the
# kernel reclaim it, run the program in the control group GROUP, which is made here and removed
# again.
# Prints lines of "KEY VALUE"; times are of the clock, in us.
#
# Needs root, control groups with memory, and Linux 5.19 (memory.reclaim).
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
group=$1 percent=$2 program=$3
shift 3
work=$(mktemp -d)
pid=''

finish()
{
	[ -z "$pid" ] || kill -9 "$pid" 2> /dev/null
	wait
	exec 3>&- 4<&-
	rmdir "$group"
	rm -rf "$work"
}
trap finish EXIT

fail()
{
	echo "collect.sh: $*" >&2
	sed 's/^/collect.sh: /' "$work/said" >&2
	exit 1
}

# kib: resident KiB of the program
kib() { awk '$1 == "RssAnon:" { print $2 }' "/proc/$pid/status"; }

# faults: major faults of the program
faults() { cut -d ' ' -f 12 "/proc/$pid/stat"; }

# read_files OPTION...: read the program's files into memory, charged to another group, so that the
# kernel does not reclaim them.
read_files()
{
	local lua files word

	lua=$(command -v lua5.4)
	mapfile -t files < <(ldd "$lua" | grep -o '/[^ ]*')
	for word; do
		[ ! -e "$word/marvin.so" ] || files+=("$word/marvin.so")
	done
	cat "$lua" "${files[@]}" "$here"/../marvin-load/lua/*.lua > /dev/null
}

# start OPTION...: start the program in the group
start()
{
	mkfifo "$work/in" "$work/out"
	# shellcheck disable=SC2016 # the inner shell's
	sh -c 'echo $$ > "$0" && exec "$@"' "$group/cgroup.procs" \
		lua5.4 "$here/../marvin-load/lua/$program.lua" --pause 1 "$@" \
		< "$work/in" > "$work/out" 2> "$work/said" &
	pid=$!
	exec 3> "$work/in" 4< "$work/out"
}

# await WHAT: read up to a line with WHAT; sets line
await()
{
	while read -r -t 900 line <&4; do
		case "$line " in
		*" $1 "*)	return ;;
		esac
	done
	fail "it has ended, or waits, before \"$1\""
}

# collect: let the program collect; sets took
collect()
{
	local begin=${EPOCHREALTIME/./}

	echo collect >&3
	await collected
	took=$((${EPOCHREALTIME/./} - begin))
}

# take_out KIB: reclaim until at most KIB are in memory. The kernel fails if it does not find all,
# so ask for little at a time.
take_out()
{
	local tries=1000 now

	while now=$(kib) && [ "$now" -gt "$1" ] && [ $tries -gt 0 ]; do
		tries=$((tries - 1))
		echo $((now - $1 > 1024 ? 1048576 : (now - $1) * 1024)) > "$group/memory.reclaim"
	done 2> /dev/null
}

mkdir "$group" || fail "no control group $group"
read_files "$@"
start "$@"
await 'pause fill'
echo go >&3
await 'pause use'
# The first collection also finds garbage.
collect
collect
echo "in_us $took"
before=$(kib)
# Marvin saves unused objects after some ticks, and gives their memory to the kernel.
sleep 12
take_out $((before * (100 - percent) / 100))
echo "kib $before"
echo "out_percent $((100 - $(kib) * 100 / before))"
pages=$(faults)
collect
echo "out_us $took"
echo "pages $(($(faults) - pages))"
set -- "${line#* brought }"
echo "brought ${1%% *}"
echo go >&3
await 'pause check'
echo go >&3
await result
set -- "${line#* wrong }"
echo "wrong ${1%% *}"
wait "$pid"
pid=''
