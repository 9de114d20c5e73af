#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--again] [PATTERN...]: the experiments of the thesis behind latd, and a page of them:
# build/paper-latd/index.html. With patterns (of the shell) only the runs whose name fits, such as
# 'anon*' or '*.trixie.*'; the page has what there is.
#
# A run that is there and was made by the same programs is not made again, unless --again is
# given. Each is a guest of one processor whose time is counted in instructions.
#
# MTDC_COUNT  images of a run (60; the thesis had 1000)
# MTDC_JOBS   guests at a time (the number of processors)
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../qemu/lib.sh"
. "$here/lib.sh"
: "${MTDC_COUNT:=60}"
out=$build/paper-latd
arguments "$@"

"$top/qemu/setup.sh" build guest tools paper latd
mkdir -p "$out"
{
	make -s -C "$top" tools STATIC=1 && make -s -C "$top/selftests/lib" O="$build/selftests"
} > "$out/tools.log" 2>&1 || {
	tail -n 20 "$out/tools.log"
	die "the programs could not be built"
}
# What the results depend on.
version=$({ echo "$MTDC_COUNT"; cat "$here/guest.sh" "$top"/tools/{common,latd,lab/memload}/*.[ch]; } |
	sha256sum | cut -c 1-16)

# run NAME SUITE LRU LOAD MODE [VARIABLE=VALUE...]
run()
{
	local name=$1 suite=$2 lru=$3 load=$4 mode=$5 dir=$out/runs/$1 options=() started=$SECONDS
	shift 5

	mkdir -p "$dir"
	rm -f "$dir"/*
	for variable; do
		options+=(--env "$variable")
	done
	MTDC_KERNEL=$(cat "$out/kernel.$suite") "$top/qemu/guest.sh" --mem 160 --reserve 320 \
		--clock icount --timeout 3600 --quiet --log "$dir/log" --out "$dir" \
		--env MTDC_COUNT="$MTDC_COUNT" --env MTDC_LRU="$lru" "${options[@]}" -- \
		"$here/guest.sh" "$load" "$mode" > "$dir/stdout" 2>&1 || :
	if results "$dir" && grep -q '^status 0' "$dir/result"; then
		echo "$version" > "$dir/version"
		printf '   %-28s %4d s  %s\n' "$name" $((SECONDS - started)) "$(cat "$dir/infer")"
	else
		printf '   %-28s failed, see %s\n' "$name" "${dir#"$top/"}/log"
		return 1
	fi
}

while read -r name suite lru rest <&3; do
	case $name in
	''|'#'*)	continue ;;
	esac
	name=$name.$suite.$lru
	wanted "$name" || continue
	! there "$name" || continue
	provide "$suite" || die "the kernel of $suite could not be had"
	# shellcheck disable=SC2086 # a list of words
	start run "$name" "$suite" "$lru" $rest 3<&-
done 3< "$here/runs"
await_all
/usr/bin/python3 "$here/report.py" "$out"
echo "$out/index.html"
[ "$failed" = 0 ]
