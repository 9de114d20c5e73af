#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [NAME...]: all tests, or only the named ones: `unit`, or the name of a
# script in selftests/guest (integrity, swap, ...). Sets itself up, builds what
# it needs, shows progress, keeps the guests' logs in build/test/. The last line
# is "N passed, N failed, N skipped"; exit status 0 only if none failed.
#
# A guest that dies takes its tests with it: a test that was planned and has no
# result counts as failed, and so does a script that never began.
#
# MTDC_SEED    seed of everything random (1)
# MTDC_OPS, MTDC_CYCLES, MTDC_ROUNDS, MTDC_GENS  how much of it, see the scripts
# MTDC_TIMES   factor on all time-outs (1)
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*}
build=$top/build
logs=$build/test
bin=$build/selftests
: "${MTDC_SEED:=1}" "${MTDC_TIMES:=1}"

# Boots: name, guest options, scripts. Few boots, as each costs some seconds,
# but a kernel that dies should not take everything with it, swap needs a small
# guest, and fio a large one. BOARD: not in a PC but on the paper's board.
boots()
{
	cat <<'END'
basic      --mem 192 --reserve 64 --timeout 600             : integrity erase full stats trace
media      --mem 192 --reserve 64 --timeout 400             : corrupt faults
attach     --mem 256 --reserve 64 --timeout 400             : badinput attach
parallel   --mem 192 --reserve 64 --timeout 300 --smp 2     : parallel vanish
swap       --mem 112 --reserve 112 --timeout 600            : swap
swaplower  --mem 112 --reserve 112 --timeout 600 --drive DISK : swaplower
ebcache    --mem 192 --reserve 64 --timeout 400             : ebcache
swapnand   --mem 144 --reserve 48 --timeout 400            : swapnand
thirdparty --mem 512 --reserve 64 --timeout 600             : thirdparty
mtdsim     --mem 192 --reserve 64 --timeout 400             : mtdsim
simtime    --mem 192 --reserve 64 --timeout 200 --icount    : simtime
board      BOARD --timeout 600                              : board
END
}

die()
{
	echo "run.sh: $*" >&2
	exit 1
}

known=$(boots | sed 's/.*: *//' | tr '\n' ' ')
wanted="$*"
for name in $wanted; do
	case " unit $known " in
	*" $name "*)	;;
	*)		die "unknown test \"$name\"; there are: unit $known" ;;
	esac
done

# chosen NAME: is it to be run?
chosen()
{
	case " ${wanted:-$1} " in
	*" $1 "*)	return 0 ;;
	*)		return 1 ;;
	esac
}

started=$SECONDS
mkdir -p "$logs" "$bin"
rm -f "$logs"/*.log "$logs"/*.tap

# A guest is in a process group of its own, which Ctrl-C does not reach.
guest=
trap '[ -z "$guest" ] || kill -- "-$guest" 2>/dev/null || :' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

passed=0 failed=0 skipped=0
failures=$logs/failures.log
skips=$logs/skips.log
: > "$failures"
: > "$skips"

# one STATUS WHAT: a result of our own
one()
{
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$2" >> "$failures"
		echo "   not ok - $2"
	fi
}

# summary LOG NAME...: read the TAP in LOG. Results are counted by the script they
# belong to; prints "passed failed skipped" and notes failures and skips.
summary()
{
	local log=$1
	shift
	awk -v names="$*" -v failures="$failures" -v skips="$skips" '
		function close_one(status) {
			if (name == "")
				return
			if (plan < 0) {
				print name ": no plan" >> failures
				fail++
			} else if (seen != plan) {
				print name ": " plan " planned, " seen " seen; the rest counts as failed" \
					>> failures
				fail += seen < plan ? plan - seen : 1
			} else if (status != 0) {
				print name ": ended with status " status >> failures
				fail++
			}
			name = ""
		}
		/^# BEGIN / { close_one(0); name = $3; begun[name] = 1; plan = -1; seen = 0; next }
		/^# END / { close_one($5); next }
		name == "" { next }
		/^1\.\.[0-9]+$/ { plan = substr($0, 4) + 0; next }
		/^Bail out!/ { print name ": " $0 >> failures; next }
		/^(not )?ok / {
			number = $1 == "ok" ? $2 : $3
			if (number != seen + 1)
				print name ": result " number " after " seen >> failures
			seen++
			if ($1 == "not") {
				fail++
				print name ": " $0 >> failures
			} else if (match($0, /# SKIP/)) {
				skip++
				print name ": " $0 >> skips
			} else {
				pass++
			}
		}
		END {
			close_one(0)
			n = split(names, list, " ")
			for (i = 1; i <= n; i++) {
				if (!(list[i] in begun)) {
					print list[i] ": never began" >> failures
					fail++
				}
			}
			print pass + 0, fail + 0, skip + 0
		}' "$log"
}

# count LOG NAME...: add LOG to the sums
count()
{
	local p f s
	read -r p f s < <(summary "$@")
	passed=$((passed + p))
	failed=$((failed + f))
	skipped=$((skipped + s))
}

# progress: what is worth seeing at once
progress()
{
	awk '
		/^# BEGIN / { name = $3; ok = bad = skip = 0; next }
		/^# END / {
			printf "   %-11s %3d ok, %d not ok, %d skipped, %s s\n", \
				name, ok, bad, skip, $(NF - 1)
			fflush()
			next
		}
		/^not ok / { bad++; print "   " name ": " $0; diag = 1; fflush(); next }
		/^ok .*# SKIP/ { skip++; diag = 0; next }
		/^ok / { ok++; diag = 0; next }
		/^# / && diag { print "      " $0; fflush(); next }
		/^Bail out/ { print "   " name ": " $0; fflush() }'
}

set_up()
{
	local helper ksrc src
	echo "== set-up"
	"$top/qemu/setup.sh" build guest test
	MTDC_KERNEL=$("$top/qemu/kernel.sh" --source) || die "no kernel"
	export MTDC_KERNEL
	echo "== build"
	"$top/qemu/build.sh"
	"$top/qemu/build.sh" --src "$here/lib/faultmtd"
	"$top/qemu/build.sh" --src "$here/mtdsim"
	# Debian builds the kernel without its MTD tests: build them here.
	ksrc=$(printf '%s\n' "$MTDC_KERNEL" | sed -n 's/^KSRC=//p')
	[ -d "$ksrc/drivers/mtd/tests" ] || die "no drivers/mtd/tests in \"$ksrc\""
	src=$build/mtdtests
	mkdir -p "$src"
	cp -u "$ksrc"/drivers/mtd/tests/*.[ch] "$src/"
	cat > "$src/Kbuild" <<-'END'
		obj-m := mtd_test.o mtd_readtest.o mtd_speedtest.o mtd_stresstest.o mtd_torturetest.o
		obj-m += mtd_pagetest.o mtd_subpagetest.o mtd_oobtest.o mtd_nandbiterrs.o
		mtd_nandbiterrs-objs := nandbiterrs.o
		mtd_oobtest-objs := oobtest.o
		mtd_pagetest-objs := pagetest.o
		mtd_readtest-objs := readtest.o
		mtd_speedtest-objs := speedtest.o
		mtd_stresstest-objs := stresstest.o
		mtd_subpagetest-objs := subpagetest.o
		mtd_torturetest-objs := torturetest.o
	END
	"$top/qemu/build.sh" --src "$src"
	for helper in "$here"/lib/*.c; do
		# Static: quicker to start, and nothing else to be paged in.
		gcc -O2 -Wall -Wextra -Werror -static -o "$bin/$(basename "$helper" .c)" "$helper"
	done
	if chosen board; then
		MTDC_BOARD=$("$top/qemu/board/build.sh") || die "cannot build for the board"
		export MTDC_BOARD
	fi
}

unit()
{
	local status=0 log=$logs/unit.log
	echo "== unit tests"
	{
		echo "# BEGIN unit"
		"$here/unit/run.sh" || status=$?
		echo "# END unit status $status after $((SECONDS - started)) s"
	} 2>&1 | tee "$log" | progress
	count "$log" unit
}

# boot NAME OPTIONS... : SCRIPT...
boot()
{
	local name=$1 options=() scripts=() log status=0 script limit=
	local command=("$top/qemu/guest.sh") batch=("$here/guest/batch.sh")
	shift
	while [ "$1" != : ]; do
		case $1 in
		BOARD)
			command=("$here/board.sh") batch=() ;;
		DISK)
			rm -f "$logs/disk.img"
			truncate -s 112M "$logs/disk.img"
			options+=("$logs/disk.img") ;;
		*)
			[ -z "$limit" ] || set -- $(($1 * MTDC_TIMES)) "${@:2}"
			limit=
			[ "$1" != --timeout ] || limit=1
			options+=("$1") ;;
		esac
		shift
	done
	shift
	for script; do
		chosen "$script" && scripts+=("$script")
	done
	[ ${#scripts[@]} -gt 0 ] || return 0
	log=$logs/$name.log
	for script in MTDC_SEED MTDC_OPS MTDC_CYCLES MTDC_ROUNDS MTDC_GENS MTDC_SWAP_LIMIT; do
		[ -z "${!script:-}" ] || options+=(--env "$script=${!script}")
	done
	echo "== guest $name: ${scripts[*]}"
	: > "$log"
	set -m
	"${command[@]}" --quiet --log "$log" "${options[@]}" -- \
		${batch[@]+"${batch[@]}"} "${scripts[@]}" < /dev/null > "$logs/$name.out" 2>&1 &
	guest=$!
	set +m
	tail -n +1 -s 0.5 --pid=$guest -f "$log" 2>/dev/null | progress
	wait $guest || status=$?
	guest=
	count "$log" "${scripts[@]}"
	one $status "guest $name: it ended well, and the kernel's log is clean (build/test/$name.log)"
	[ $status = 0 ] || grep -a -A 30 '^init' "$log" | head -n 40 || true
	rm -f "$logs/disk.img"
}

set_up
echo "== seed $MTDC_SEED"
if chosen unit; then
	unit
fi
while read -r line; do
	# shellcheck disable=SC2086 # to be split
	boot $line
done < <(boots)

echo "== $((SECONDS - started)) s"
if [ -s "$skips" ]; then
	echo "== skipped:"
	sed 's/^/   /' "$skips"
fi
if [ -s "$failures" ]; then
	echo "== failed:"
	sed 's/^/   /' "$failures"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
