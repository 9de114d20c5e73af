#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# prepare.sh WHAT: build what jobs wait for (job.sh): for "guest" the kernel, the modules and the
# programs for guests on a PC, or else the kernel and root of the machine WHAT. The jobs get its
# variables by MTDC_LOGS/WHAT.env. It prints one TAP result, after which run.pl lets them begin.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../qemu/lib.sh"
logs=$MTDC_LOGS
kernel_name=$MTDC_LANE_KERNEL groups=$MTDC_LANE_GROUPS

# wanted JOB...: is one of them to be run?
wanted()
{
	local job

	for job; do
		case " $MTDC_CHOSEN " in
		*" $job "*)	return 0 ;;
		esac
	done
	return 1
}

# export_to WHAT NAME...: for the jobs that come later
export_to()
{
	local what=$1 name
	shift
	for name; do
		[ -z "${!name:-}" ] || printf 'export %s=%q\n' "$name" "${!name}" >> "$logs/$what.env"
	done
}

# prepare_guest: the parts that do not wait for each other at once
prepare_guest()
{
	local pids=() pid ksrc kdir source=

	case $kernel_name,$groups, in
	stock,*,test,*)	source=--source ;;
	esac
	# shellcheck disable=SC2086 # nothing, if it is empty
	MTDC_KERNEL=${MTDC_KERNEL:-$("$top/qemu/kernel.sh" "$kernel_name" $source)} || return 1
	export MTDC_KERNEL
	ksrc=$(kernel KSRC) kdir=$(kernel KDIR)
	export MTDC_KSRC=$ksrc
	"$top/qemu/build.sh" || return 1
	"$top/qemu/build.sh" --src "$here/modules/faultmtd" & pids+=($!)
	make -s -C "$here/lib" O="$build/selftests" & pids+=($!)
	# Without it all takes longer (guest/batch.sh).
	MTDC_BUSYBOX=$("$top/qemu/machine/busybox.sh" amd64) || MTDC_BUSYBOX=
	export MTDC_BUSYBOX
	# Its MTD core has not what mtdsim is made of.
	case $(kernel KREL) in
	5.*)	;;
	*)	"$top/qemu/build.sh" --src "$here/mtdsim" & pids+=($!) ;;
	esac
	# A kernel without its source (of another suite) has no tests of its own.
	if [ -n "$ksrc" ]; then
		mtdtests "$ksrc" & pids+=($!)
		grep -q "^CONFIG_MTD_UBI_GLUEBI=" "$kdir/.config" || {
			"$top/qemu/gluebi.sh" & pids+=($!)
		}
	fi
	if wanted kunit && grep -q '^CONFIG_KUNIT=' "$kdir/.config"; then
		"$top/qemu/build.sh" --out "$build/kunit-$(kernel KREL)" \
			CONFIG_MTDCOMPR_KUNIT_TEST=y & pids+=($!)
	fi
	if wanted ctl; then
		"$top/qemu/build.sh" --out "$build/module-nozstd-$(kernel KREL)" \
			CONFIG_MTDCOMPR_ZSTD=n CONFIG_MTDCOMPR_CRYPT=n & pids+=($!)
	fi
	# Some lanes with these jobs do not install the groups. apt cannot run twice at a time.
	if wanted marvin-guest marvin-slow hostile-others; then
		"$top/qemu/setup.sh" tools marvin || return 1
		make -s -C "$top/tools/lab/marvin-load" STATIC=1 & pids+=($!)
	fi
	if wanted latd proswapd rectifyd ctl marvin-guest marvin-slow hostile hostile-others; then
		"$top/qemu/setup.sh" tools || return 1
		{
			make -s -C "$top" tools STATIC=1 && make -s -C "$top/tools/lab/memload" STATIC=1
		} & pids+=($!)
	fi
	case ",$groups," in
	*,suites,*)	"$here/suites/build.sh" fsx io_paral nandsim16 & pids+=($!) ;;
	esac
	for pid in "${pids[@]}"; do
		wait "$pid" || return 1
	done
	export_to guest MTDC_KERNEL MTDC_KSRC MTDC_BUSYBOX
}

# mtdtests SOURCE: Debian builds the kernel without its MTD tests: build them here
mtdtests()
{
	local src=$build/mtdtests

	[ -d "$1/drivers/mtd/tests" ] || { echo "no drivers/mtd/tests in \"$1\""; return 1; }
	mkdir -p "$src"
	cp -u "$1"/drivers/mtd/tests/*.[ch] "$src/"
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

prepare_machine()
{
	local machine=$1 name=MTDC_MACHINE_$1 lines

	lines=$("$top/qemu/machine/build.sh" "$machine") || return 1
	printf -v "$name" %s "$lines"
	export_to "$machine" "$name"
}

what=$1 status=0
: > "$logs/$what.env"
case $what in
guest)	(prepare_guest) > "$logs/build-$what.log" 2>&1 || status=1 ;;
*)	(prepare_machine "$what") > "$logs/build-$what.log" 2>&1 || status=1 ;;
esac
echo "1..1"
if [ $status = 0 ]; then
	echo "ok 1 - it is built"
else
	echo "not ok 1 - it could not be built"
	tail -n 20 "$logs/build-$what.log" | sed 's/^/# /'
fi
