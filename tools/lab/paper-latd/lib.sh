# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the run.sh of the experiments, after qemu/lib.sh: which runs are made, kernels, and
# several guests at a time. The script sets
#
#   out      the directory of its results
#   version  of what a run's results depend on
#
# shellcheck disable=SC2154 # these, and those of qemu/lib.sh

: "${MTDC_JOBS:=$(nproc)}"
again='' patterns=() running=0
# How many runs have failed: for the script.
# shellcheck disable=SC2034
failed=0

# arguments [--again] [PATTERN...]
arguments()
{
	if [ "${1:-}" = --again ]; then
		again=1
		shift
	fi
	patterns=("${@:-*}")
}

# wanted NAME: does a pattern fit?
wanted()
{
	local pattern

	for pattern in "${patterns[@]}"; do
		# shellcheck disable=SC2254 # it is a pattern
		case $1 in
		$pattern)	return 0 ;;
		esac
	done
	return 1
}

# there NAME: is the run there, made by the same programs, and is that enough?
there()
{
	[ -z "$again" ] && [ "$(cat "$out/runs/$1/version" 2>/dev/null)" = "$version" ]
}

# provide SUITE: the kernel and the modules, once
provide()
{
	[ ! -s "$out/kernel.$1" ] || [ -n "$again" ] || return 0
	"$top/qemu/kernel.sh" "$1" > "$out/kernel.$1.new" || return 1
	MTDC_KERNEL=$(cat "$out/kernel.$1.new") "$top/qemu/build.sh" || return 1
	MTDC_KERNEL=$(cat "$out/kernel.$1.new") "$top/qemu/build.sh" --src "$top/selftests/mtdsim" ||
		return 1
	mv "$out/kernel.$1.new" "$out/kernel.$1"
}

# results DIR: what the guest said, without "result"
results()
{
	tr -d '\r' < "$1/log" | sed -n 's/^result //p' > "$1/result"
}

# judge NAME DIR STARTED: did a guest with several runs come to its end? It began when SECONDS was
# STARTED; what it made is kept as that of $version
judge()
{
	local failures

	if results "$2" && grep -qx 'all done' "$2/result"; then
		echo "$version" > "$2/version"
		failures=$(grep -c ' status [^0]' "$2/result") || :
		printf '   %-28s %5d s%s\n' "$1" $((SECONDS - $3)) \
			"$([ "$failures" = 0 ] || echo "  $failures of its runs failed")"
	else
		printf '   %-28s failed, see %s\n' "$1" "${2#"$top/"}/log"
		return 1
	fi
}

# await: the end of a guest
await()
{
	wait -n || failed=$((failed + 1))
	running=$((running - 1))
}

# await_all: nothing runs after it
await_all()
{
	while [ $running -gt 0 ]; do
		await
	done
}

# start COMMAND...: as soon as there is a place for it
start()
{
	[ $running -lt "$MTDC_JOBS" ] || await
	"$@" &
	running=$((running + 1))
}
