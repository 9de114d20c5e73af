#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cryptstop.sh: no key is left in the memory of a machine that has stopped. A guest writes pages to
# encrypted media and halts, powers off or restarts, the last while it writes. QEMU keeps its memory
# and saves it before and after. keydump tries each 32 bytes of it as the key of each eraseblock, and
# finds keys before the stop and none after it. As TAP.
#
#   cryptstop.sh [HOW,PROCESSORS,WORK...]    all, or these, such as off,1,idle
#
# All have one processor. A second one may be in the middle of an encryption when the kernel stops it,
# and the key is on its stack then: restart,2,busy shows it on a busy host.
#
# job: test,long cryptstop needs=guest seconds=50
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../qemu/lib.sh
. "$here/../qemu/lib.sh"
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"
mem=112 reserve=8
mkdir -p "$build"
run=$(mktemp -d "$build/cryptstop.XXXXXX")
guest=
trap 'leave; rm -rf "$run"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
times=$(machine_times 1)

# leave: end the guest, if there is one: QEMU quits, and guest.sh with it
leave()
{
	[ -n "$guest" ] || return 0
	printf '{ "execute": "%s" }\n' qmp_capabilities quit >&"$to"
	wait "$guest" || :
	guest=
}

bail()
{
	tail -n 20 "$run/log" "$run/guest.out" | sed 's/^/# /'
	echo "Bail out! $*"
	exit 1
}

# within SECONDS COMMAND...: wait until it succeeds
within()
{
	local until=$((SECONDS + $1 * times))

	shift
	until "$@"; do
		if [ $SECONDS -ge $until ] || ! kill -0 "$guest" 2> /dev/null ||
			grep -q '^init: \|^init.sh: \|Kernel panic' "$run/log" 2> /dev/null; then
			return 1
		fi
		sleep 0.1
	done
}

# monitor COMMAND [ARGUMENTS]: one command of QMP, until its answer
monitor()
{
	local line

	printf '{ "execute": "%s", "arguments": { %s } }\n' "$1" "${2:-}" >&"$to"
	while read -r -t $((30 * times)) -u "$from" line; do
		case $line in
		*'"return"'*)	echo "$line" > "$run/answer"; return 0 ;;
		*'"error"'*)	bail "$1: $line" ;;
		esac
	done
	bail "$1: no answer"
}

# save NAME: the memory, and the media that are in it
save()
{
	local addr

	read -r addr < "$run/out/reserve"
	monitor pmemsave "\"val\": 0, \"size\": $((addr + ((reserve + 1) << 20))), \"filename\": \"$run/$1\""
	dd if="$run/$1" of="$run/$1.inplace" bs=64k skip=$((addr >> 16)) count=32 status=none
	dd if="$run/$1" of="$run/$1.log" bs=64k skip=$(((addr >> 16) + 32)) count=32 status=none
}

has_stopped()
{
	[ "$1" != halt ] || { grep -q 'reboot: System halted' "$run/log"; return; }
	monitor query-status
	grep -q '"status": "shutdown"' "$run/answer"
}

# keys MEMORY MEDIA: how many keys; sets records and keys
keys()
{
	local words

	# The block, the label, the granule and the nonces.
	read -r -a words < "$run/out/${2##*.}"
	read -r -a words <<< "$("$build/selftests/keydump" "$run/$1" "$run/out/page" "$run/$2" \
		"${words[@]}")"
	records=${words[1]} keys=${words[3]}
	echo "# memory $1, media $2: ${words[*]}"
}

# judge WHAT STORE: three results; two for nandsim, whose media are not read after the stop
judge()
{
	keys before "before.$2"
	[ "$keys" -gt 0 ]
	result $? "$1, $2: keys are in memory before the stop"
	keys after "before.$2"
	[ "$keys" = 0 ]
	result $? "$1, $2: none of these is there after it"
	[ "$2" != nandsim ] || return 0
	keys after "after.$2"
	[ "$keys" = 0 ] && [ "$records" -gt 0 ]
	result $? "$1, $2: nor is a key of what the media have then"
}

# stopped HOW SMP WORK: a guest, until it has stopped
stopped()
{
	rm -rf "${run:?}"/*
	mkdir "$run/out"
	mkfifo "$run/monitor.in" "$run/monitor.out"
	exec {to}<> "$run/monitor.in" {from}<> "$run/monitor.out"
	"$top/qemu/guest.sh" --mem $mem --reserve $reserve --smp "$2" --timeout 120 --quiet \
		--monitor "$run/monitor" --out "$run/out" --log "$run/log" \
		"$here/guest/cryptstop.sh" "$1" "$3" > "$run/guest.out" 2>&1 &
	guest=$!
	within 120 test -e "$run/out/ready" || bail "$1: the guest is not ready"
	monitor qmp_capabilities
	monitor stop
	save before
	monitor cont
	: > "$run/out/go"
	within 60 has_stopped "$1" || bail "$1: the guest does not stop"
	monitor stop
	save after
	leave
	exec {to}>&- {from}>&-
}

# a_case HOW SMP WORK
a_case()
{
	local begun=$SECONDS store stores=(log inplace)

	stopped "$@"
	echo "# $*: $((SECONDS - begun)) s"
	if [ "$3" = busy ]; then
		mv "$run/out/media" "$run/before.nandsim"
		stores+=(nandsim)
	fi
	for store in "${stores[@]}"; do
		judge "$1, $3" "$store"
	done
}

[ $# -gt 0 ] || set -- halt,1,idle restart,1,busy ${MTDC_LONG:+off,1,idle}
set +e
for item; do
	IFS=, read -r how smp work <<< "$item"
	a_case "$how" "$smp" "$work"
done
end_results
