#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh MARVIND: test the Lua programs with little data, as TAP. Their memory is taken back all
# the time: by a shim that plays a kernel under pressure, and by marvind in the directory MARVIND.
# Their answers are compared with the answers without Marvin, and with Lua's tables and strings.
#
# MTDC_SEED          seed of everything random (1)
# O                  where the module is built (build/marvin)
# CC, LUA            the compiler (gcc), the interpreter (lua5.4)
set -u
here=$(cd "$(dirname "$0")" && pwd -P)
top=$(cd "$here/../../../.." && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../../../selftests/tap.sh
. "$top/selftests/tap.sh"
: "${CC:=gcc}" "${LUA:=lua5.4}" "${O:=$top/build/marvin}" "${MTDC_SEED:=1}"
bin=$1
work=$(mktemp -d)
store=$(mktemp -d /var/tmp/marvin-lua.XXXXXX)
export MARVIN_STORE=$store/ MARVIN_REGISTER=$work/reg
details=$work/said
daemon='' program=''

# End only processes that this script has started, by id.
finish()
{
	local pid

	for pid in $program $daemon; do
		kill -9 "$pid" && wait "$pid"
	done 2> /dev/null
	rm -rf "$work" "$store"
}
trap finish EXIT

declare -A small=(
	[editor]="--mib 2 --files 4 --steps 1500 --stay 30"
	[tiles]="--tiles 64 --steps 40 --width 512 --height 512"
	[table]="--rows 8000 --customers 1000 --steps 10000"
)

# value KEY: print a value of the line of results
value() { sed -n "s/.* result.* $1 \([^ ]*\).*/\1/p" "$work/out"; }

# run NAME OPTION...: run a program to its end
run()
{
	local name=$1

	shift
	# shellcheck disable=SC2086 # options
	timeout 120 "$LUA" "$here/$name.lua" ${small[$name]} --seed "$MTDC_SEED" "$@" \
		> "$work/out" 2> "$work/said"
}

# check WHAT COMMAND...
check()
{
	local what=$1

	shift
	"$@"
	result $? "$what"
}

right() { [ "$(value verdict)" = right ] && [ "$(value digest)" = "$digest" ]; }
above() { [ "$(value "$1")" -gt "$2" ]; }
refused() { run "$@"; [ $? = 2 ] && [ -s "$work/said" ] && [ ! -s "$work/out" ]; }

# finds NAME WHERE: the program finds a wrong bit of test/flip.lua
finds()
{
	MARVIN_TEST_FLIP=$2 LUA_INIT="@$here/test/flip.lua" run "$1"
	[ $? = 3 ] && grep -q wrong: "$work/said"
}

# loses NAME: the program reports a lost object
loses()
{
	MARVIN_TEST_FLIP=lost LUA_INIT="@$here/test/flip.lua" run "$1"
	[ $? = 4 ] && grep -q 'object is lost' "$work/said"
}

# fails NAME: the program ends with any other error
fails()
{
	MARVIN_TEST_FLIP=error LUA_INIT="@$here/test/flip.lua" run "$1"
	[ $? = 1 ] && grep -q 'not enough memory' "$work/said"
}

# collect: print the result of a full collection: brought N ... given N
collect()
{
	echo collect >&3
	read -r -t 60 line <&4
}

# is_given: wait until memory is given to the kernel; the program is paused, so all of it is soon
is_given()
{
	local tries=250

	while [ $tries -gt 0 ]; do
		collect || return 1
		[ "${line##* }" = 0 ] || return 0
		sleep 0.02
		tries=$((tries - 1))
	done
	return 1
}

# paused ROAD: after a phase all memory becomes cold and is taken back; a collection does not bring
# it back
paused()
{
	is_given || return 1
	sleep 0.05
	if [ "$1" = marvind ]; then
		"$bin/marvinctl" -s "$work/sock" bg "$program" >> "$work/said" || return 1
	fi
	collect || return 1
	case $line in
	*" brought 0 "*)	;;
	*)			echo "$line" >> "$work/said"; return 1 ;;
	esac
	echo go >&3
}

# out NAME ROAD OPTION...: run a program; after each phase all of its memory is taken back
out()
{
	local name=$1 road=$2 phases=0 status=0

	shift 2
	rm -f "$work/in" "$work/lines"
	mkfifo "$work/in" "$work/lines"
	# shellcheck disable=SC2086 # options
	"$LUA" "$here/$name.lua" ${small[$name]} --seed "$MTDC_SEED" --tick 2 --pause 1 "$@" \
		< "$work/in" > "$work/lines" 2> "$work/said" &
	program=$!
	exec 3> "$work/in" 4< "$work/lines"
	: > "$work/out"
	while read -r -t 60 line <&4; do
		case $line in
		*" pause "*)	phases=$((phases + 1))
				paused "$road" || { status=1; break; } ;;
		*)		echo "$line" >> "$work/out" ;;
		esac
	done
	exec 3>&- 4<&-
	[ $status = 0 ] || kill -9 $program
	wait $program || status=1
	program=
	[ $status = 0 ] && [ $phases = 3 ]
}

# marvind: start it and wait for its answer
marvind()
{
	local tries=100

	"$bin/marvind" --check > /dev/null 2>&1 || return 1
	"$bin/marvind" -f -s "$work/sock" -S "$work/state" -o auto.available=100 \
		-o auto.foreground=yes 2> "$work/log" &
	daemon=$!
	until "$bin/marvinctl" -s "$work/sock" status > /dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

if ! make -s -f "$top/tools/marvin/lua/Makefile" WERROR=1 O="$O" CC="$CC" all bench \
	"$O/lua/drop/marvin.so" > "$work/make" 2>&1; then
	sed 's/^/# /' "$work/make"
	echo "Bail out! it does not compile"
	exit 1
fi
roads=drop
if [ "$(id -u)" = 0 ] && marvind; then
	roads="drop marvind"
else
	result 0 "marvind # SKIP not root, or no process_madvise()"
fi
declare -A module=([drop]=$O/lua/drop [marvind]=$O/lua)

# back_and_forth NAME ROAD MODE: run a program with the collector in MODE
back_and_forth()
{
	local what="$1, $2, $3"

	check "$what: a collection brings nothing back of what is out" \
		out "$1" "$2" --module "${module[$2]}" --collector "$3"
	check "$what: its answers are right" right
	check "$what: objects were read from the store" above loaded 0
	[ "$2" = drop ] || check "$what: it took objects back" above dropped 0
}

for name in editor tiles table; do
	run $name --types lua
	result $? "$name: tables and strings of Lua"
	digest=$(value digest)
	run $name --module "$O/lua/plain"
	check "$name: without Marvin" right
	for road in $roads; do
		for mode in incremental generational; do
			back_and_forth $name "$road" $mode
		done
	done
	MARVIN_TEST_DROP=50 run $name --module "$O/lua/drop" --tick 1
	check "$name: half of the pages are gone" right
done
check "editor: a wrong byte of a text is found" finds editor set
check "editor: one in the journal" finds editor append
check "tiles: one in a tile" finds tiles make
check "table: one in a row" finds table field
check "tiles: an object is lost: exit status 4" loses tiles
check "tiles: another error: exit status 1" fails tiles
check "an option that is none" refused editor --nonsense 1
check "a number that is none" refused tiles --tiles many
check "a number that is too small" refused tiles --tiles 2
check "types that are none" refused table --types c
check "no module" refused table --module /nonexistent
end_results
