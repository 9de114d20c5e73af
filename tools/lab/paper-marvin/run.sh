#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--again] [PATTERN...]: the experiments behind Marvin, and a page of them:
# build/paper-marvin/index.html. With patterns (of the shell) only the guests whose name fits, such
# as 'apps.*' or '*.nand'; the page has what there is.
#
# A guest that is there and was made by the same programs is not made again, unless --again is
# given. Time is counted in instructions.
#
# MTDC_JOBS    guests at a time (the number of processors)
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../../../qemu/lib.sh"
. "$here/../paper-latd/lib.sh"
out=$build/paper-marvin
marvin=$top/tools/marvin
reserve=512
arguments "$@"

"$top/qemu/setup.sh" build guest tools marvin paper
mkdir -p "$out/runs"
{
	make -s -C "$marvin/load" STATIC=1 && make -s -C "$marvin/lua" all bench &&
		make -s -C "$marvin/marvind" &&
		make -s -C "$top/selftests/lib" O="$build/selftests"
} > "$out/tools.log" 2>&1 || {
	tail -n 20 "$out/tools.log"
	die "the programs could not be built"
}
# What the results depend on, beside the line of the guest.
sources=$(cat "$here/guest.sh" "$marvin"/{libmarvin,load,marvind}/*.[ch] | sha256sum)
lua=$(cat "$here/collect.sh" "$marvin"/lua/*.[ch] "$marvin"/load/lua/*.lua | sha256sum)

# of_lua WORDS: what they depend on, too, where programs in Lua are run
of_lua()
{
	case $1 in
	*programs:*|*collect:*)	echo "$lua" ;;
	esac
}

# run NAME KERNEL MEDIA MIB [VARIABLE=VALUE...] -- PLAN...: a line of the list
run()
{
	local name=$1.$2.$3 suite=$2 media=$3 mib=$4 options=() started=$SECONDS
	local dir=$out/runs/$name
	shift 4

	while [ "$1" != -- ]; do
		options+=(--env "$1")
		shift
	done
	shift
	mkdir -p "$dir"
	rm -f "$dir"/*
	MTDC_KERNEL=$(cat "$out/kernel.$suite") "$top/qemu/guest.sh" --mem "$mib" --reserve $reserve \
		--timeout 7200 --quiet --clock icount --log "$dir/log" --out "$dir" "${options[@]}" -- \
		"$here/guest.sh" "$media" "$@" > "$dir/stdout" 2>&1 || :
	judge "$name" "$dir" $started
}

# shellcheck disable=SC2162 # a line that ends with a backslash goes on
while read -a words <&3; do
	case ${words[0]:-} in
	''|'#'*)	continue ;;
	esac
	name=${words[0]}.${words[1]}.${words[2]}
	# For lib.sh.
	# shellcheck disable=SC2034
	version=$(echo "$sources $(of_lua "${words[*]}") ${words[*]}" | sha256sum | cut -c 1-16)
	wanted "$name" || continue
	! there "$name" || continue
	provide "${words[1]}" || die "the kernel of ${words[1]} could not be had"
	start run "${words[@]}" 3<&-
done 3< "$here/runs"
await_all
/usr/bin/python3 "$here/report.py" "$out"
echo "$out/index.html"
[ "$failed" = 0 ]
