#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The module's KUnit suites: a module built with CONFIG_MTDCOMPR_KUNIT_TEST=y (run.sh builds it if
# the kernel has KUnit) runs them at load. Each of their results is one here. Some suites make
# allocations fail that may sleep; nothing else makes them fail.
#
# job: checks kunit --mem 192 --timeout 600 --smp 2
. "$(dirname "$0")/lib.sh"

ko=$MTDC_BUILD/kunit-$KREL/drivers/mtd/mtdcompr/mtdcompr.ko
if ! modprobe kunit enable=1 2> "$TMP/out"; then
	skip_rest "KUnit suites" "this kernel has no KUnit"
fi
fail=/sys/kernel/debug
mountpoint -q $fail || mount -t debugfs none $fail
if [ -e $fail/failslab ]; then
	for knob in failslab/ignore-gfp-wait fail_page_alloc/ignore-gfp-wait \
		fail_page_alloc/ignore-gfp-highmem; do
		must eval "echo N > $fail/$knob"
	done
	must eval "echo 0 > $fail/fail_page_alloc/min-order"
	must eval "echo 0 > $fail/failslab/verbose"
	must eval "echo 0 > $fail/fail_page_alloc/verbose"
	# A vmalloc() that failed is in the log.
	: > /run/mtdc-allow-faults
fi

for module in $(modinfo -F depends "$ko" | tr , ' '); do
	must modprobe "$module"
done
some_disk
no_autoload
dmesg > "$TMP/before"
from=$(wc -l < "$TMP/before")
# If the guest crashes, the console shows the last test.
dmesg -n 7
must insmod "$ko"
dmesg -n 1
dmesg | tail -n +$((from + 1)) | sed 's/^\[[^]]*\] //' > "$TMP/log"

# A "# Subtest:" line with four blanks begins a suite, one with eight the parameters of a case.
awk '
	function emit(status, text) {
		n++
		out = out (status ? "" : "not ") "ok " n " - " text "\n"
	}
	/^    # Subtest: / { suite = $3; next }
	/^        # Subtest: / { next }
	/^ *(not )?ok [0-9]+ / {
		good = !/^ *not /
		text = $0
		sub(/^ *(not )?ok [0-9]+ (- )?/, "", text)
		if (/^[^ ]/) {
			suites++
			emit(good, "the suite " text)
		} else {
			emit(good, suite ": " text)
		}
		if (!good)
			out = out notes
		notes = ""
		next
	}
	/^mtdcompr: / { next }
	{ notes = notes "# " $0 "\n" }
	END {
		printf "%s", out
		print (suites == 9 ? "" : "not ") "ok " n + 1 " - all nine suites have run"
	}' "$TMP/log" > "$TMP/tap"
cat "$TMP/tap"
seen=$(grep -c '^\(not \)*ok ' "$TMP/tap")
grep -E '^ +# .*: [0-9]+ faults' "$TMP/log"
rmmod mtdcompr
