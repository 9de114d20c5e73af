# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # run.sh's and queue.sh's variables, and export_to's
#
# Sourced by run.sh: what jobs need is built by jobs, too: build-guest makes the kernel, the
# modules and the programs for guests on a PC, build-board and the like what a machine of
# another kind boots. What the others have to know they export by build/LANE/WHAT.env.

# set_up: install packages, and put the builders into the queue
set_up()
{
	local need needs

	# shellcheck disable=SC2086 # a list of words
	"$top/qemu/setup.sh" ${groups//,/ }
	needs=$(jobs_of_lane | awk '{
		need = "guest"
		for (i = 1; $i != ":"; i++)
			if ($i == "HOST")
				need = ""
			else if ($i == "NEEDS" || $i == "--machine")
				need = $(i + 1)
		if (need)
			print $1, need
	}' | while read -r name need; do
		! chosen_any "$name" || echo "$need"
	done | sort -u)
	for need in $(grep -x guest <<< "$needs") $(grep -vx guest <<< "$needs"); do
		queue "build-$need" none "" prepare "$need"
	done
}

# chosen_any JOB: is the job, or a script of it, to be run?
chosen_any()
{
	local script

	for script in $(list_jobs | awk -v job="$1" '$1 == job { sub(/.* : /, ""); print }'); do
		! chosen "$1" "$script" || return 0
	done
	return 1
}

# prepare WHAT: a job of its own
prepare()
{
	local what=$1

	: > "$logs/$what.env"
	if [ "$what" = guest ]; then
		prepare_guest
	else
		prepare_machine "$what"
	fi
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

	case $kernel,$groups, in
	stock,*,test,*)	source=--source ;;
	esac
	# shellcheck disable=SC2086 # nothing, if it is empty
	MTDC_KERNEL=${MTDC_KERNEL:-$("$top/qemu/kernel.sh" "$kernel" $source)} || return 1
	export MTDC_KERNEL
	ksrc=$(kernel KSRC) kdir=$(kernel KDIR)
	export MTDC_KSRC=$ksrc
	"$top/qemu/build.sh" || return 1
	"$top/qemu/build.sh" --src "$here/modules/faultmtd" & pids+=($!)
	make -s -C "$here/lib" O="$build/selftests" & pids+=($!)
	# Without it all takes longer (guest/batch.sh).
	MTDC_BUSYBOX=$("$top/qemu/machine/busybox.sh" amd64) || MTDC_BUSYBOX=
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
	if chosen_any kunit && grep -q '^CONFIG_KUNIT=' "$kdir/.config"; then
		"$top/qemu/build.sh" --out "$build/kunit-$(kernel KREL)" \
			CONFIG_MTDCOMPR_KUNIT_TEST=y & pids+=($!)
	fi
	if chosen_any ctl; then
		"$top/qemu/build.sh" --out "$build/module-nozstd-$(kernel KREL)" \
			CONFIG_MTDCOMPR_ZSTD=n & pids+=($!)
	fi
	# Not all lanes that have these have the groups. One apt at a time.
	if chosen_any marvin-guest || chosen_any marvin-slow || chosen_any hostile-others; then
		"$top/qemu/setup.sh" tools marvin || return 1
		make -s -C "$top/tools/lab/marvin-load" STATIC=1 & pids+=($!)
	fi
	if chosen_any latd || chosen_any proswapd || chosen_any rectifyd ||
		chosen_any ctl || chosen_any marvin-guest || chosen_any marvin-slow ||
		chosen_any hostile || chosen_any hostile-others; then
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
