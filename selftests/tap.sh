# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # out is of who sources this
#
# Sourced by the tests that need no guest: TAP, with the plan at its end.

number=0 failures=0
# A file with details of a failure, if any.
details=

# result STATUS WHAT: a TAP line
result()
{
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		failures=$((failures + 1))
		echo "not ok $number - $2"
		[ -z "$details" ] || head -n 8 "$details" | sed 's/^/# /'
	fi
}

# known WANTED KNOWN: exit if one of the WANTED suites is unknown
known()
{
	local suite

	for suite in $1; do
		case " $2 " in
		*" $suite "*)	;;
		*)		echo "${0##*/}: unknown suite \"$suite\"; there are: $2" >&2
				exit 1 ;;
		esac
	done
}

# for_sanitizers: a finding aborts the program, so that the caller notices it; no legend after it
for_sanitizers()
{
	export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=1:print_legend=0:detect_leaks=0}
	export UBSAN_OPTIONS=${UBSAN_OPTIONS:-abort_on_error=1:print_stacktrace=1}
	export SEED="${SEED:-${MTDC_SEED:-1}}"
}

# compiled NAME COMMAND...: false if it does not compile without a warning; the log is in $out
compiled()
{
	local name=$1

	shift
	"$@" > "$out/$name.log" 2>&1 && return 0
	sed 's/^/# /' "$out/$name.log"
	result 1 "$name: it compiles without a warning"
	return 1
}

# try WHAT COMMAND...: a result, with the end of the output if it failed
try()
{
	local what=$1 status=0

	shift
	"$@" > "$out/step.log" 2>&1 || status=$?
	[ $status = 0 ] || tail -n 12 "$out/step.log" | sed 's/^/# /'
	result $status "$what"
	return $status
}

# man_page FILE: check it with groff
man_page()
{
	if ! command -v groff > /dev/null; then
		result 0 "man: # SKIP no groff"
		return
	fi
	groff -man -Tascii -ww -z "$1" > "$out/man.log" 2>&1
	[ ! -s "$out/man.log" ] || sed 's/^/# /' "$out/man.log"
	[ ! -s "$out/man.log" ]
	result $? "man: groff has nothing to say"
}

# unpack_tree FILE DIRECTORY: unpack a file of several files, each after a line "==== PATH"
unpack_tree()
{
	rm -rf "$2"
	mkdir -p "$2"
	awk -v to="$2" '
		/^==== \// {
			if (file)
				close(file)
			file = to substr($0, 6)
			parent = file
			sub(/\/[^\/]*$/, "", parent)
			system("mkdir -p \"" parent "\"")
			printf "" > file
			next
		}
		{ print > file }' "$1"
}

# pack_tree DIRECTORY FILE: write such a FILE
pack_tree()
{
	( cd "$1" && find . -type f -printf '/%P\n' ) | LC_ALL=C sort | while read -r path; do
		echo "==== $path"
		cat "$1$path"
	done > "$2"
}

# finding FILE: the first line of a sanitizer that sums up its finding, if any
finding()
{
	grep -am 1 -oE 'SUMMARY: [A-Za-z]*Sanitizer: .*|runtime error: .*' "$1"
}

# report FILE: the findings of the sanitizers in short: the access, and its callers
report()
{
	grep -aE '(WARNING|ERROR|SUMMARY): [A-Za-z]*Sanitizer|runtime error: |^ *#[0-5] |^ +[A-Z][a-z ]* of size ' \
		"$1" | head -n 24 | sed 's/^/# /'
}

# pass_on STATUS FILE PREFIX: pass a suite's results on, numbered anew. Planned results that are
# missing count as a failure, and so does a bad exit status.
pass_on()
{
	local status=$1 file=$2 prefix=$3 plan='' seen=0 bad=0 line found=''

	while IFS= read -r line; do
		case $line in
		'1..0 # SKIP'*)
			result 0 "$prefix${file##*/} # SKIP${line#1..0 \# SKIP}"
			plan=0 ;;
		1..*)	plan=${line#1..} ;;
		ok\ *)	seen=$((seen + 1))
			result 0 "$prefix${line#ok * - }" ;;
		not\ ok\ *)
			seen=$((seen + 1)) bad=$((bad + 1))
			result 1 "$prefix${line#not ok * - }" ;;
		*)	echo "# ${line#\# }" ;;
		esac
	done < "$file"
	[ "$status" = 0 ] || found=$(finding "$file") || :
	if [ "$seen" != "${plan:-none}" ] || [ -n "$found" ] ||
		{ [ "$status" != 0 ] && [ $bad = 0 ]; }; then
		result 1 "$prefix${file##*/}: $seen of ${plan:-?} cases, exit status $status${found:+, $found}"
		# Repeat it here, because only the lines near a failure are shown.
		[ -z "$found" ] || report "$file"
	fi
}

# end_results: print the plan; the status is 0 only if nothing failed
end_results()
{
	echo "1..$number"
	[ $failures = 0 ]
}
