#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The kernel's own tests of zram (tools/testing/selftests/zram), with devices of this driver instead
# of zram's. The script takes them from the kernel's source (MTDC_KSRC), changes paths, and
# redirects their accesses to sysfs to selftests/suites/zram-shim.sh, which translates them to
# attachments and statistics. Their assertions are unchanged. First they run on zram itself, to show
# that they can pass here, and at the end with wrong figures, to see them fail.
#
# job: suites zram --mem 192 --reserve 64 --timeout 900
. "$(dirname "$0")/lib.sh"

tests=${MTDC_KSRC:-/nowhere}/tools/testing/selftests/zram
if [ ! -f "$tests/zram_lib.sh" ]; then
	skip_rest "selftests/zram" "no kernel source"
fi

# run TEST: in the present directory; output to $TMP/out, prints the outcome
run()
{
	limited 900 bash "./$1.sh" > "$TMP/out" 2>&1
	echo "status $?, $(grep -c '^ *FAIL' "$TMP/out") FAIL, $(
		sed -n 's/.* : \(\[.*\]\)$/\1/p' "$TMP/out")"
}
passed="status 0, 0 FAIL, [PASS]"

# smaller BYTES: zram01 fills its file system with a dd for each KiB, which is slow under an
# emulator
smaller()
{
	sed -i "s/^zram_sizes=\"[0-9]*\"/zram_sizes=\"$1\"/" zram01.sh
}

# passes WHAT TEST
passes()
{
	read -r passes_from _ < /proc/uptime
	is "$1" "$(run "$2")" "$passed"
	read -r passes_to _ < /proc/uptime
	diag "$((${passes_to%.*} - ${passes_from%.*})) s; $(
		sed -n 's/^zram \(compression ratio: [0-9.]*:1\): OK$/\1/p' "$TMP/out" |
			tr '\n' ' ')"
	[ "$(tail -n 1 "$TMP/out")" = "$2 : [PASS]" ] || diag "$(tail -n 20 "$TMP/out")"
}

# ------------------------------------------------- zram itself

mkdir "$TMP/zram"
cp "$tests"/zram*.sh "$TMP/zram/"
cd "$TMP/zram" || exit 1
smaller 524288
passes "zram itself: zram01" zram01
smaller 2097152
passes "zram itself: zram02" zram02
[ ! -d /sys/module/zram ] || must rmmod zram

# ------------------------------------------------- this driver

load
export MTDC_RESERVE_ADDR
export ZRAM_SHIM="$TMP/shim"
mkdir -p "$ZRAM_SHIM/class/zram-control" "$ZRAM_SHIM/block" "$ZRAM_SHIM/dev"
shim=$MTDC_TOP/selftests/suites/zram-shim.sh
# Replace writes and reads that have an effect, then paths. Spaces and quotes must match these files
# exactly; if they change, paths are left over, and the check below finds them.
sed -i \
	-e "s|cat /sys/class/zram-control/hot_add|$shim hot_add|" \
	-e "s|echo \\(.*\\) > /sys/class/zram-control/hot_remove|$shim hot_remove \\1|" \
	-e "s|echo \\([^ ]*\\) > \\(/sys/block/zram[^ ]*\\)|$shim set \\2 \\1|" \
	-e "s|echo \\([^ ]*\\)[[:space:]]*>[[:space:]]*\\(\$sys_path\\)|$shim set \\2 \\1|" \
	-e "s|\"/sys/block/zram\\(.*\\)/mm_stat\"|<($shim mm_stat \\1)|" \
	-e "s|/sys/class/zram-control|$ZRAM_SHIM/class/zram-control|g" \
	-e "s|/sys/block/zram|$ZRAM_SHIM/block/zram|g" \
	-e "s|/dev/zram|$ZRAM_SHIM/dev/zram|g" zram*.sh
is "all that does something in sysfs is done by the shim" \
	"$(grep -c "$shim" zram_lib.sh zram01.sh zram02.sh | tr '\n' ' ')" \
	"zram_lib.sh:7 zram01.sh:1 zram02.sh:0 "
is "and no path of zram's is left" "$(grep -l '[ "]/sys/\|[ "]/dev/zram' zram*.sh)" ""

passes "zram01: fill ext4 with zeros, compression" zram01
is "zram01: one ratio was found good" "$(grep -c 'compression ratio: .*: OK' "$TMP/out")" 1
is "zram01: ext4 was full" "$(grep -c 'can be filled with' "$TMP/out")" 1
is "zram01: nothing is left" "$(find "$PROC" "$ZRAM_SHIM/block" "$ZRAM_SHIM/dev" \
	-name 'zram[0-9]*')" ""
passes "zram02: swap on and off" zram02
is "zram02: nothing is left" "$(ls "$PROC")" ""

# Several devices, as in the Linux Test Project: one for each compressor.
sed -e 's/^dev_num=.*/dev_num=4/' -e 's/^zram_max_streams=.*/zram_max_streams="1 2 3 4"/' \
	-e 's/^zram_sizes=.*/zram_sizes="524288 524288 1048576 524288"/' \
	-e 's/^zram_mem_limits=.*/zram_mem_limits="512K 1M 512K 256K"/' \
	-e 's/^zram_filesystems=.*/zram_filesystems="ext4 ext3 ext2 ext4"/' \
	-e 's/^zram_algs=.*/zram_algs="lzo lz4 zlib zstd"/' zram01.sh > zram01-4.sh
passes "zram01 with four devices, compressors, file systems and limits" zram01-4
is "all ratios were found good" "$(grep -c 'compression ratio: .*: OK' "$TMP/out")" 4
is "nothing is left" "$(ls "$PROC")" ""

export ZRAM_SHIM_BREAK=1
smaller 524288
is "with figures that are wrong, zram01 fails" "$(run zram01)" "status 0, 1 FAIL, [FAIL]"
is "nothing is left of that" "$(ls "$PROC")" ""
cd /
