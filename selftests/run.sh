#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh [--lane LANE] [NAME...|-NAME...]: all tests of a lane, or only the named
# ones, or all but those with a minus: `unit`, `membench`, `report` and `fuzz`, which
# need no guest, or the name of a script in selftests/guest (integrity, swap, ...). Sets
# itself up, builds what it needs, shows progress, keeps the guests' logs in
# build/LANE/. The last line is "N passed, N failed, N skipped"; exit status 0 only
# if none failed. Which guests there are, and their lanes, is in selftests/boots.
#
# A guest that dies takes its tests with it: a test that was planned and has no
# result counts as failed, and so does a script that never began.
#
# MTDC_SEED    seed of everything random (1)
# MTDC_OPS, MTDC_CYCLES, MTDC_ROUNDS, MTDC_GENS, MTDC_STEP, MTDC_EVERY, MTDC_VANISH,
# MTDC_FAULTS, MTDC_SECONDS  how much of it, see the scripts
# MTDC_LONG    1: the long form of those scripts that have one
# MTDC_TIMES   factor on all time-outs (1)
# MTDC_JOBS    guests at a time (the number of processors)
# MTDC_UNTIL   a time (seconds since 1970): what has not begun by then is left out, and
#              said so; the first guest is another one with each seed
# MTDC_GCOV    directory for the counts of gcov, one in it for each guest
# MTDC_KERNEL  what qemu/debug/kernel.sh has printed: the guests' kernel, instead of
#              Debian's
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*}
build=$top/build
bin=$build/selftests
: "${MTDC_SEED:=1}" "${MTDC_TIMES:=1}" "${MTDC_JOBS:=$(nproc)}"

# boots: of this lane, without its name
boots()
{
	awk -v lane="$lane" -v turn="${MTDC_UNTIL:+$MTDC_SEED}" '
		!/^#/ && NF && index("," $1 ",", "," lane ",") {
			$1 = ""
			line[n++] = $0
		}
		END {
			for (i = 0; i < n; i++)
				print line[(i + turn) % n]
		}' "$here/boots"
}

die()
{
	echo "run.sh: $*" >&2
	exit 1
}

lane="test"
if [ "${1:-}" = --lane ]; then
	[ $# -ge 2 ] || die "--lane: which?"
	lane=$2
	shift 2
fi
[ -n "$(boots)" ] || die "no lane \"$lane\" in selftests/boots"
alone=
case $lane in
test)	alone="unit membench report fuzz" ;;
debug|brief|kcsan)
		alone="rig" ;;
esac
known="$alone $(boots | sed 's/.*: *//' | tr '\n' ' ')"
wanted='' unwanted=''
for name; do
	case " $known " in
	*" ${name#-} "*)	;;
	*)		die "unknown test \"${name#-}\"; there are: $known" ;;
	esac
	case $name in
	-*)	unwanted="$unwanted ${name#-}" ;;
	*)	wanted="$wanted $name" ;;
	esac
done

# chosen NAME: is it to be run?
chosen()
{
	case " $unwanted " in
	*" $1 "*)	return 1 ;;
	esac
	case " ${wanted:-$1} " in
	*" $1 "*)	return 0 ;;
	*)		return 1 ;;
	esac
}

started=$SECONDS
logs=$build/$lane
mkdir -p "$logs" "$bin"
rm -f "$logs"/*.log "$logs"/*.tap

# What runs, by process id: its name, its scripts, and who shows its progress.
# A guest is in a process group of its own, which Ctrl-C does not reach.
declare -A job_name=() job_scripts=() job_progress=()
trap 'for job in "${!job_name[@]}"; do kill -- "-$job" 2>/dev/null || :; done' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

passed=0 failed=0 skipped=0 left=
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
				# It says why itself, if it can.
				for (i = said > 20 ? said - 20 : 0; i < said; i++)
					print "   " what[i] >> failures
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
		/^# BEGIN / { close_one(0); name = $3; begun[name] = 1; plan = -1; seen = said = 0; next }
		/^# END / { close_one($5); next }
		name == "" { next }
		plan < 0 { what[said++] = $0 }
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

# kernel KEY
kernel()
{
	printf '%s\n' "$MTDC_KERNEL" | sed -n "s/^$1=//p"
}

# slow_kernel: one that takes its time says so; nothing may end too early then
slow_kernel()
{
	local times
	times=$(kernel KTIMES)
	: "${times:=1}"
	MTDC_TIMES=$((MTDC_TIMES * times))
	: "${MTDC_SWAP_LIMIT:=$((400 * times))}"
}

# needs_board: is any of the chosen scripts for it?
needs_board()
{
	local script

	for script in $(boots | sed -n '/ BOARD /s/.*: *//p'); do
		! chosen "$script" || return 0
	done
	return 1
}

set_up()
{
	local helper ksrc
	echo "== set-up"
	"$top/qemu/setup.sh" build guest test paper
	if [ -z "${MTDC_KERNEL:-}" ]; then
		MTDC_KERNEL=$("$top/qemu/kernel.sh" --source) || die "no kernel"
	fi
	export MTDC_KERNEL
	slow_kernel
	echo "== build"
	"$top/qemu/build.sh"
	"$top/qemu/build.sh" --src "$here/lib/faultmtd"
	if chosen kunit && grep -q '^CONFIG_KUNIT=' "$(kernel KDIR)/.config"; then
		"$top/qemu/build.sh" --out "$build/kunit-$(kernel KREL)" \
			CONFIG_MTDCOMPR_KUNIT_TEST=y
	fi
	ksrc=$(kernel KSRC)
	# A kernel without its source (qemu/kernel.sh --suite) has no tests of its
	# own, and mtdsim is for 6.1 only.
	if [ -n "$ksrc" ]; then
		"$top/qemu/build.sh" --src "$here/mtdsim"
		mtdtests
		grep -q "^CONFIG_MTD_UBI_GLUEBI=" "$(kernel KDIR)/.config" ||
			"$top/qemu/gluebi.sh"
	fi
	for helper in "$here"/lib/*.c; do
		# Static: quicker to start, and nothing else to be paged in.
		gcc -O2 -Wall -Wextra -Werror -static -o "$bin/$(basename "$helper" .c)" "$helper"
	done
	if [ "$lane" = suites ]; then
		"$top/qemu/setup.sh" suites
		"$here/suites/build.sh" fsx io_paral nandsim16
	fi
	# For batch.sh. Without it all takes longer.
	MTDC_BUSYBOX=$("$top/qemu/machine/busybox.sh" amd64) || MTDC_BUSYBOX=
	export MTDC_BUSYBOX
	if needs_board; then
		MTDC_BOARD=$("$top/qemu/board/build.sh") || die "cannot build for the board"
		export MTDC_BOARD
	fi
}

# mtdtests: Debian builds the kernel without its MTD tests: build them here.
mtdtests()
{
	local src

	[ -d "$ksrc/drivers/mtd/tests" ] || die "no drivers/mtd/tests in \"$ksrc\""
	export MTDC_KSRC=$ksrc
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
}

# finish JOB: it has ended; count its results
finish()
{
	local status=0 name=${job_name[$1]} scripts=()

	read -r -a scripts <<< "${job_scripts[$1]}"
	wait "$1" || status=$?
	wait "${job_progress[$1]}" || :
	unset "job_name[$1]" "job_scripts[$1]" "job_progress[$1]"
	count "$logs/$name.log" "${scripts[@]}"
	case $name in
	unit|membench|report|fuzz|rig)
		return 0 ;;
	esac
	one $status "guest $name: it ended well, and the kernel's log is clean (${logs#"$top"/}/$name.log)"
	if grep -q '^init.sh: kmemleak gave up' "$logs/$name.log"; then
		skipped=$((skipped + 1))
		echo "guest $name: no memory was left for kmemleak" >> "$skips"
	fi
	[ $status = 0 ] || last_words "$logs/$name.log"
}

# last_words LOG: why a guest has failed, shown at once, and in short among the failures:
# what init says; or, as that says nothing where the kernel died, the panic
last_words()
{
	local what='^init'

	grep -qa "$what" "$1" || what='Kernel panic|INFO: task|BUG:|WARNING:'
	grep -a -E -A 30 "$what" "$1" | head -n 60 || true
	{ grep -a -E -A 12 "$what" "$1" || tail -n 12 "$1"; } | head -n 24 >> "$failures" || true
}

# wait_below N: until fewer than N jobs run
wait_below()
{
	local job

	while [ ${#job_name[@]} -ge "$1" ]; do
		for job in "${!job_name[@]}"; do
			kill -0 "$job" 2>/dev/null || finish "$job"
		done
		sleep 0.2
	done
}

# job NAME "SCRIPT..." COMMAND...: run it when its turn comes; its log tells
job()
{
	local name=$1 list=$2 log=$logs/$1.log job
	shift 2

	wait_below "$MTDC_JOBS"
	if [ -n "${MTDC_UNTIL:-}" ] && [ "$(date +%s)" -ge "$MTDC_UNTIL" ]; then
		left="$left $list"
		return
	fi
	echo "== $name: $list"
	: > "$log"
	set -m
	"$@" < /dev/null > "$logs/$name.out" 2>&1 &
	job=$!
	set +m
	job_name[$job]=$name
	job_scripts[$job]=$list
	tail -n +1 -s 0.5 --pid="$job" -f "$log" 2>/dev/null | progress &
	job_progress[$job]=$!
}

# here NAME COMMAND: TAP that needs no guest, in the form of batch.sh
here()
{
	local status=0 begun=$SECONDS
	{
		echo "# BEGIN $1"
		"$2" || status=$?
		echo "# END $1 status $status after $((SECONDS - begun)) s"
	} > "$logs/$1.log" 2>&1
}

# replay: the inputs that the fuzzers of the driver's units are remembered by
replay()
{
	"$here/fuzz/run.sh" --replay
}

# boot NAME OPTIONS... : SCRIPT...
boot()
{
	local name=$1 options=() scripts=() script limit=
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
	for script in MTDC_SEED MTDC_OPS MTDC_CYCLES MTDC_ROUNDS MTDC_GENS MTDC_STEP \
		MTDC_EVERY MTDC_VANISH MTDC_FAULTS MTDC_SECONDS MTDC_SWAP_LIMIT \
		MTDC_KSRC MTDC_BUSYBOX MTDC_LONG; do
		[ -z "${!script:-}" ] || options+=(--env "$script=${!script}")
	done
	if [ -n "${MTDC_GCOV:-}" ]; then
		mkdir -p "$MTDC_GCOV/$name"
		options+=(--out "$MTDC_GCOV/$name")
	fi
	job "$name" "${scripts[*]}" "${command[@]}" --quiet --log "$logs/$name.log" \
		"${options[@]}" -- ${batch[@]+"${batch[@]}"} "${scripts[@]}"
}

set_up
echo "== seed $MTDC_SEED"
for name in $alone; do
	chosen "$name" || continue
	case $name in
	unit)		program=$here/unit/run.sh ;;
	membench)	program=$top/tools/bench/membench_test.sh ;;
	report)		program=$top/tools/paper/report_test.sh ;;
	rig)		program=$here/rig.sh ;;
	fuzz)		program=replay ;;
	esac
	job "$name" "$name" here "$name" "$program"
done
while read -r line; do
	# shellcheck disable=SC2086 # to be split
	boot $line
done < <(boots)
wait_below 1
rm -f "$logs/disk.img"

echo "== $((SECONDS - started)) s"
[ -z "$left" ] || echo "== the time was over, left out:$left"
if [ -s "$skips" ]; then
	echo "== skipped:"
	sed 's/^/   /' "$skips"
fi
if [ -s "$failures" ]; then
	echo "== failed:"
	sed 's/^/   /' "$failures"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed${left:+1}" != 0 ]
