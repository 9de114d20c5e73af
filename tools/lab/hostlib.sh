# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the run.sh of the experiments, after qemu/lib.sh:
#
#   run.sh [--again] [PATTERN...]
#
# runs guests in parallel and makes a page of all present results. With shell patterns it runs only
# guests whose name matches. A guest whose result was made by the same programs is not run again,
# except with --again. MTDC_JOBS is how many guests run at a time (the number of processors). A
# script sets
#
#   here     its directory, with guest.sh, report.py, and runs, a guest a line:
#            NAME KERNEL FIELD... [VARIABLE=VALUE...] -- PLAN...
#            A backslash at the end continues a line
#   out      the directory of its results
#   parts    how many fields make a guest's name (3)
#   sources  what all results depend on
#
# and defines run(), which gets a line's fields. MTDC_ROUNDS replaces the sixth field.
#
# shellcheck disable=SC2154 # these variables, and qemu/lib.sh's

: "${MTDC_JOBS:=$(nproc)}"
again='' patterns=() running=0 parts=3
# How many guests have failed.
failed=0

# A script may replace these. depends WORD...: print further inputs of a line's results;
# exclusive FIELD...: must this guest run alone?
depends() { :; }
exclusive() { false; }

# arguments [--again] [PATTERN...]
arguments()
{
	if [ "${1:-}" = --again ]; then
		again=1
		shift
	fi
	patterns=("${@:-*}")
}

# wanted NAME: does a pattern match?
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

# sum FILE...: hash of their contents; "-" is the standard input
sum() { cat "$@" | sha256sum | cut -c 1-16; }

# programs DIRECTORY...: build static programs of tools, and those of selftests/lib
programs()
{
	local dir

	for dir; do
		make -s -C "$top/tools/$dir" STATIC=1 || return
	done
	make -s -C "$top/selftests/lib" O="$build/selftests"
}

# logged COMMAND...: run it with its output in a log; end the script if it fails
logged()
{
	mkdir -p "$out/runs"
	"$@" > "$out/$1.log" 2>&1 || {
		tail -n 20 "$out/$1.log"
		die "$1 failed, see ${out#"$top/"}/$1.log"
	}
}

# there: is there a result of the same programs, and no --again?
there()
{
	[ -z "$again" ] && [ "$(cat "$out/runs/$name/version" 2>/dev/null)" = "$version" ]
}

# provide SUITE: make the kernel and the modules, once
provide()
{
	[ ! -s "$out/kernel.$1" ] || [ -n "$again" ] || return 0
	"$top/qemu/kernel.sh" "$1" > "$out/kernel.$1.new" || return 1
	MTDC_KERNEL=$(cat "$out/kernel.$1.new") "$top/qemu/build.sh" || return 1
	MTDC_KERNEL=$(cat "$out/kernel.$1.new") "$top/qemu/build.sh" --src "$top/selftests/mtdsim" ||
		return 1
	mv "$out/kernel.$1.new" "$out/kernel.$1"
}

# guest ABOUT OPTION...: run guest.sh with the plans in a guest with these options of qemu/guest.sh.
# The report finds ABOUT in the file "guest". A guest that did not come to its end has no version
guest()
{
	local dir=$out/runs/$name started=$SECONDS failures

	mkdir -p "$dir"
	rm -f "$dir"/*
	echo "$1" > "$dir/guest"
	shift
	MTDC_KERNEL=$(cat "$out/kernel.$suite") "$top/qemu/guest.sh" --timeout 7200 --quiet \
		--log "$dir/log" --out "$dir" "$@" "${variables[@]}" -- "$here/guest.sh" \
		"${plans[@]}" > "$dir/stdout" 2>&1 || :
	if tr -d '\r' < "$dir/log" | sed -n 's/^result //p' > "$dir/result" &&
		grep -qx 'all done' "$dir/result"; then
		echo "$version" > "$dir/version"
		failures=$(grep -c ' status [^0]' "$dir/result") || :
		printf '   %-28s %5d s%s\n' "$name" $((SECONDS - started)) \
			"$([ "$failures" = 0 ] || echo "  $failures of its runs failed")"
	else
		printf '   %-28s failed, see %s\n' "$name" "${dir#"$top/"}/log"
		return 1
	fi
}

# await: wait for the end of a guest
await()
{
	wait -n || failed=$((failed + 1))
	running=$((running - 1))
}

# await_all: wait for the end of all guests
await_all()
{
	while [ $running -gt 0 ]; do
		await
	done
}

# start COMMAND...: start it as soon as a job is free
start()
{
	[ $running -lt "$MTDC_JOBS" ] || await
	"$@" &
	running=$((running + 1))
}

# line WORD...: parse a line; sets fields, variables (as options), plans, name and suite
line()
{
	local IFS=.

	fields=() variables=()
	while [ "$1" != -- ]; do
		case $1 in
		*=*)	variables+=(--env "$1") ;;
		*)	fields+=("$1") ;;
		esac
		shift
	done
	shift
	plans=("$@")
	[ ${#fields[@]} -lt 6 ] || fields[5]=${MTDC_ROUNDS:-${fields[5]}}
	name="${fields[*]:0:parts}" suite=${fields[1]}
}

# experiments: run the wanted guests of the list and make the page
experiments()
{
	local words more

	# shellcheck disable=SC2162 # a line that ends with a backslash goes on
	while read -a words <&3; do
		case ${words[0]:-} in
		''|'#'*)	continue ;;
		esac
		line "${words[@]}"
		wanted "$name" || continue
		more=$(depends "${words[@]}" 3<&-)
		version=$(sum - <<< "$sources $more ${fields[*]} ${variables[*]} ${plans[*]}")
		! there || continue
		provide "$suite" || die "the kernel of $suite could not be had"
		! exclusive "${fields[@]}" || await_all
		start run "${fields[@]}" 3<&-
		! exclusive "${fields[@]}" || await_all
	done 3< "$here/runs"
	await_all
	/usr/bin/python3 "$here/report.py" "$out"
	echo "$out/index.html"
	[ "$failed" = 0 ]
}
