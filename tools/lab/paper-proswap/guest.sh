#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# guest.sh PLAN...: runs of the paper's experiments in one guest, one after the other, so that
# they can be compared. Prints lines of "result RUN KEY VALUE".
#
#   PLAN   LOAD:LIMIT:CONTROL
#     LOAD     cyclic, zigzag, random (memload); pipeline; camera (the pipeline, with a frame each
#              MTDC_PERIOD ms); compile (source.ii, preprocessed); sort, xz, awk (a text of
#              MTDC_TEXT lines); and memload with the cases of case_phases()
#     LIMIT    limit of the group in percent of the load's memory; 0: no limit. The run without a
#              limit comes first, because it measures the memory of the pipeline and the programs
#     CONTROL  none, auto, trim (auto, with auto.trim), paper, watch, reclaim (DAMON_RECLAIM), tuned
#              (the same, tuned)
#
# MTDC_MEDIA   the swap: ram, nand (both MTDCOMPR), zram
# MTDC_ROUNDS  how often all plans are run (1)
# MTDC_LRU     classic or mglru
# MTDC_MIB     MiB of the load (48; pipeline 96)
# MTDC_TEXT    lines of the programs' text (500000)
# MTDC_FRAMES  frames of the pipeline that count (48), after half as many that do not
# MTDC_OPTS    more options of proswapd
# MTDC_PAPER   directory of the pipeline's programs, frames and source.ii (build/paper-proswap)
set -u
# shellcheck disable=SC2153 # of qemu/guest.sh
. "$MTDC_TOP/selftests/guest/lib.sh"
. "$MTDC_TOP/tools/lab/guestlib.sh"
: "${MTDC_MEDIA:=ram}" "${MTDC_ROUNDS:=1}" "${MTDC_LRU:=classic}" "${MTDC_OPTS:=}"
: "${MTDC_FRAMES:=48}" "${MTDC_PERIOD:=1000}" "${MTDC_PAPER:=$MTDC_BUILD/paper-proswap}"
group=/sys/fs/cgroup/load

# provide PLAN...: copy the programs and their libraries, before the group exists, so that it is not
# charged for them.
provide()
{
	mkdir -p "$TMP/lib"
	programs "$MTDC_BUILD/tools/memload" "$MTDC_BUILD/tools/proswapd" "$MTDC_BUILD/tools/proswapctl"
	case " $*" in
	*\ pipeline:*|*\ camera:*)
		must cp "$MTDC_PAPER/bin/pipeline" "$TMP/bin"
		must cp -r "$MTDC_PAPER/frames" "$TMP/frames"
		libraries "$TMP/bin/pipeline" ;;
	esac
	case " $*" in
	*\ compile:*)
		must cp "$(g++ -print-prog-name=cc1plus)" "$TMP/bin"
		must cp "$MTDC_PAPER/source.ii" "$TMP"
		libraries "$TMP/bin/cc1plus" ;;
	esac
	case " $* " in
	*\ sort:*|*\ xz:*|*\ awk:*)
		must cp "$(command -v sort)" "$(command -v xz)" "$TMP/bin"
		must cp "$(readlink -f "$(command -v mawk)")" "$TMP/bin/awk"
		libraries "$TMP/bin/sort" "$TMP/bin/xz" "$TMP/bin/awk"
		awk -v n="${MTDC_TEXT:-500000}" 'BEGIN {
			for (x = 1; n--; print x, x % 1009)
				x = x * 16807 % 2147483647
		}' > "$TMP/text" ;;
	esac
}

# libraries PROGRAM...: copy the libraries of programs
libraries()
{
	# shellcheck disable=SC2046 # a list of files
	must cp -L $(ldd "$@" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p') "$TMP/lib"
}

media()
{
	media_kib=$((MTDC_RESERVE_SIZE >> 10))
	case $MTDC_MEDIA in
	nand)	must modprobe mtdsim "dev=name=swap,type=nand,profile=mt29f4g,delay=sleep,size=$((media_kib * 15 >> 14))M,base=$MTDC_RESERVE_ADDR" ;;
	zram)	media_kib=$((256 << 10)) ;;
	esac
	swap_device "$MTDC_MEDIA" $media_kib
	swap_on "$swap"
}

knobs()
{
	lru "$MTDC_LRU"
	no_huge_pages
	control_groups
	mkdir -p $group
}

# control MODE: start the control; control_pid is empty for the kernel's
control()
{
	control_pid=
	reclaim=/sys/module/damon_reclaim/parameters
	case $1 in
	none)	return ;;
	reclaim|tuned)
		must [ -w $reclaim/enabled ]
		[ "$1" = reclaim ] || {
			echo 2000000 > $reclaim/min_age
			echo 1000 > $reclaim/wmarks_high
			echo 995 > $reclaim/wmarks_mid
			echo 0 > $reclaim/wmarks_low
		}
		echo Y > $reclaim/enabled ;;
	*)
		control_mode=$1
		[ "$1" != trim ] || control_mode="auto -o auto.trim=yes"
		# shellcheck disable=SC2086 # options
		proswapd -f -m $control_mode -s "$TMP/proswapd.sock" -S "$TMP/proswapd.state" \
			-o proswapd.trace="$out/$run.trace" $MTDC_OPTS 2> "$out/$run.log" &
		control_pid=$!
		sleep 1 ;;
	esac
}

uncontrol()
{
	[ ! -w "$reclaim/enabled" ] || echo N > "$reclaim/enabled"
	[ -n "$control_pid" ] || return 0
	daemon_cost "$control_pid"
	kill "$control_pid"
	wait "$control_pid"
	quote < "$out/$run.log"
}

# case_phases CASE: print the frames of the program for frame(): a letter for each, and the accesses
# to the small region that follow, in percent of those to the large ones.
# a: all memory in order; r: as many random accesses; s: most of them to an eighth of the memory
case_phases()
{
	awk -v name="$1" 'BEGIN {
		frames = name == "steady" || name == "drifting" || name == "halving" ? 60 : 48
		for (i = 0; i < frames; i++) {
			kind = "a"
			rest = 0
			later = i >= frames / 3
			last = i >= frames * 2 / 3
			x = (x * 16807 + 12345) % 2147483647
			if (name == "drifting")
				rest = 100 * i / frames
			else if (name == "halving")
				rest = i < frames / 2 ? 100 : 0
			else if (name == "alternating")
				rest = i % 2 * 100
			else if (name == "uneven")
				rest = x % 100
			else if (name == "random" || (name == "to_random" && later))
				kind = "r"
			else if (name == "skewed" || (name == "to_skewed" && later))
				kind = "s"
			else if (name == "and_back" && later && !last)
				kind = "r"
			else if (name == "flip")
				kind = int(i / 8) % 2 ? "r" : "a"
			else if (name == "mixed")
				kind = i % 2 ? "r" : "a"
			print kind, int(rest)
		}
	}'
}

# case_config CASE: print the configuration of masim
case_config()
{
	case_hot=$((mib << 20 >> 12 & ~15)) case_all=$((mib << 20))
	printf '#regions\ncold, %s\nhot, %s\nsmall, 262144\n\n#phases\n' \
		$((case_all - (case_hot << 9))) $((case_hot << 9))
	case_phases "$1" | awk -v pages=$((mib << 8)) '
		{ frame++ }
		$1 == "a" { printf "f %d\n1000\ncold, 0, 4096, 1\n\ng %d\n1000\nhot, 0, 4096, 1\n\n", frame, frame }
		$1 == "r" { printf "f %d\n1000\ncold, 1, 4096, 7\nhot, 1, 4096, 1\n\n", frame }
		$1 == "s" { printf "f %d\n1000\ncold, 1, 4096, 2\nhot, 1, 4096, 8\n\n", frame }
		$2 > 0 { printf "h %d\n1000\nsmall, 0, %d, 1\n\n", frame, 262144 * 100 / (pages * $2) }'
}

# config LOAD: print the configuration of masim
config()
{
	case $1 in
	zigzag)	printf '#regions\na, %s\nb, %s\n\n#phases\n' $((mib << 19)) $((mib << 19))
		printf 'begin\n1000\na, 0, 4096, 1\nb, 0, 4096, 1\n\n'
		for n in 1 2 3 4 5 6 7 8 9 10; do
			printf 'low %s\n4000\na, 0, 4096, 1\n\nhigh %s\n4000\nb, 0, 4096, 1\n\n' $n $n
		done ;;
	cyclic)	printf '#regions\na, %s\n\n#phases\n' $((mib << 20))
		for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26; do
			printf 'pass %s\n1000\na, 0, 4096, 1\n\n' $n
		done ;;
	random)	printf '#regions\na, %s\n\n#phases\n' $((mib << 20))
		for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
			printf 'pass %s\n1000\na, 1, 4096, 1\n\n' $n
		done ;;
	*)	case_config "$1" ;;
	esac
}

# memload_run NAME LIMIT
memload_run()
{
	mib=${MTDC_MIB:-48}
	bound $((mib + 6)) "$2"
	config "$1" > "$TMP/$1.cfg"
	# Cases count from the first frame, including the time to learn.
	memload_skip=0
	case $1 in
	cyclic|zigzag|random)	memload_skip=6 ;;
	esac
	in_group memload pattern --skip $memload_skip --passes "${MTDC_PASSES:-1}" --work "${MTDC_WORK:-2000}" \
		--out "$out/$run.csv" "$TMP/$1.cfg" || return
	awk -F, 'NR > 1 && $1 >= 1 { print "phase_s", $4; t += $4; f += $7 }
		END { print "seconds", t; print "majflt", f }' "$out/$run.csv" | results
}

# pipeline_run LIMIT [OPTION...]
pipeline_run()
{
	pipeline_limit=$1
	shift
	bound "$(cat "$TMP/pipeline.mib" 2>/dev/null)" "$pipeline_limit"
	in_group pipeline --images "$TMP/frames" --frames "$MTDC_FRAMES" --warm-up $((MTDC_FRAMES / 2)) \
		--size "${MTDC_MIB:-96}M" --plan-speed 4 --out "$out/$run.csv" "$@" || return
	sed -n 's/^frames.* fps \([0-9.]*\) p50 \([0-9.]*\) p95 \([0-9.]*\) ms/fps \1\np50_ms \2\np95_ms \3/p
		s/^\(checksum [0-9a-f]*\).*/\1/p' "$out/$run.load" | results
	[ -s "$TMP/pipeline.mib" ] || peak > "$TMP/pipeline.mib"
}

# camera_run LIMIT: run the pipeline with a frame each MTDC_PERIOD ms and print the mean sizes of
# its stages, sampled five times a second, because they are larger during a frame than between two.
camera_run()
{
	watch_sizes > "$out/$run.sizes" &
	camera_watch=$!
	pipeline_run "$1" --period "$MTDC_PERIOD"
	kill "$camera_watch"
	wait "$camera_watch" 2>/dev/null
	# The first third of the frames does not count.
	awk '{ stage[NR] = $1; kib[NR] = $2 }
		END { for (i = int(NR / 3); i <= NR; i++) { n[stage[i]]++; sum[stage[i]] += kib[i] }
			for (s in n) print "rss_kib_" s, sum[s] / n[s] }' "$out/$run.sizes" | results
}

# watch_sizes: print lines of STAGE KIB with the shell's own commands, because programs take time
watch_sizes()
{
	sizes_n=0
	while [ $sizes_n -lt 4 ] && sleep 0.5; do
		sizes_of='' sizes_n=0
		for sizes_comm in /proc/[0-9]*/comm; do
			read -r sizes_name 2>/dev/null < "$sizes_comm" || continue
			case $sizes_name in
			pipe-*)	sizes_of="$sizes_of ${sizes_name#pipe-}:${sizes_comm%/comm}"
				sizes_n=$((sizes_n + 1)) ;;
			esac
		done
	done
	while sleep 0.2; do
		for sizes_one in $sizes_of; do
			read -r _ sizes_pages _ 2>/dev/null < "${sizes_one#*:}/statm" || continue
			echo "${sizes_one%%:*} $((sizes_pages * 4))"
		done
	done
}

# program_run NAME LIMIT: run an ordinary program
program_run()
{
	bound "$(cat "$TMP/$1.mib" 2>/dev/null)" "$2"
	program_from=$(uptime_ms)
	# shellcheck disable=SC2016 # awk's variables
	case $1 in
	compile)	in_group cc1plus -quiet -fpreprocessed -O2 "$TMP/source.ii" -o "$TMP/made" ;;
	sort)		in_group sort -S 96M -k 2,2n -k 1,1r -o /dev/null "$TMP/text" ;;
	xz)		in_group sh -c "exec xz -T 1 -c --lzma2=preset=3,dict=8MiB,mf=bt3 $TMP/text > /dev/null" ;;
	awk)		in_group awk '{ sum[$1 % 200003 " " $2] += $1 }
				END { for (i in sum) n += sum[i] % 7; print n }' "$TMP/text" ;;
	esac || return
	say seconds "$(echo $(($(uptime_ms) - program_from)) | sed 's/...$/.&/')"
	[ ! -s "$TMP/made" ] || say checksum "$(sha256sum < "$TMP/made" | cut -c 1-16)"
	rm -f "$TMP/made"
	[ -s "$TMP/$1.mib" ] || peak > "$TMP/$1.mib"
}

# bound MIB PERCENT: make the group again with this limit
bound()
{
	[ ! -d $group ] || rmdir $group
	mkdir $group
	[ "$2" = 0 ] || {
		must [ -n "$1" ]
		echo $(($1 * $2 / 100))M > $group/memory.max
	}
}

# peak: the group's largest memory, MiB
peak() { echo $(($(cat $group/memory.peak) >> 20)); }

# in_group COMMAND...
in_group()
{
	(
		echo 0 > $group/cgroup.procs
		LD_LIBRARY_PATH=$TMP/lib exec "$@"
	) > "$out/$run.load" 2>&1
	in_status=$?
	quote < "$out/$run.load"
	say status $in_status
	return $in_status
}

# all_counters: print counters of the system and of the swap
all_counters()
{
	counters
	[ ! -e /proc/mtdcompr/swp ] || awk '/^(page_writes|page_reads|media_read_bytes|media_written_bytes):? / { sub(":", "", $1); print "dev_" $1, $2 }' \
		/proc/mtdcompr/swp
}

# one ROUND LOAD:LIMIT:CONTROL
one()
{
	round=$1 plan=$2
	IFS=: read -r name limit mode <<END
$plan
END
	run=$name-$limit-$mode.$round
	control "$mode"
	all_counters > "$TMP/before"
	case $name in
	pipeline)	pipeline_run "$limit" ;;
	camera)		camera_run "$limit" ;;
	compile|sort|xz|awk)	program_run "$name" "$limit" ;;
	*)		memload_run "$name" "$limit" ;;
	esac
	all_counters | differences "$TMP/before"
	[ -z "$control_pid" ] || proswapctl -s "$TMP/proswapd.sock" status | quote
	uncontrol
}

provide "$@"
media
knobs
rounds "$MTDC_ROUNDS" "$@"
deliver
echo "result all done"
