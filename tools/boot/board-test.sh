#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# board-test.sh: test the init script mtdcompr on the paper's board with BusyBox init: swap is
# active after boot, missing or wrong settings do not stop the boot, and the shutdown stops the swap
# without an error although pages are swapped out. Prints TAP; exit status 0 only if nothing failed.
#
# job: test,stock bootboard needs=board
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../qemu/lib.sh
. "$here/../../qemu/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../selftests/tap.sh
. "$top/selftests/tap.sh"
out=${O:-$build/boot-test}
# kbuild would use O as its output directory.
unset O
mkdir -p "$out"
rm -f "$out"/board.*

# The board has 64 MiB; the kernel gets the first 32, the media are the rest.
cat > "$out/default" <<'END'
MODULES=phram
MEDIA=ext
ALGO=lzo
PERCENT=150
PRIORITY=90
END
sed 's/0x78000000,64Mi/0xa2000000,32Mi/' "$here/examples/modprobe.d-mtdcompr.conf" > "$out/modprobe"
status=0
"$top/qemu/guest.sh" --machine board --mem 32 --timeout 300 --quiet --log "$out/board.log" \
	--append init=/bin/init --add "$here/test/inittab:/etc/inittab" \
	--add "$here/mtdcompr.init:/etc/init.d/mtdcompr" \
	--add "$out/default:/etc/default/mtdcompr" \
	--add "$out/modprobe:/etc/modprobe.d/mtdcompr.conf" \
	"$here/test/board-guest.sh" > "$out/board.out" 2>&1 || status=$?
grep -aE '^(ok|not ok|#|1\.\.)' "$out/board.log" > "$out/board.tap" || :
[ "$status" = 0 ] || tail -n 20 "$out/board.out" "$out/board.log" | sed 's/^/# /'
pass_on $status "$out/board.tap" ""
result $status "the guest came to its end, and the kernel's log is clean"
end_results
