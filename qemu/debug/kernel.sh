#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernel.sh [debug|kcsan|gcov]: build the debug lane's kernel from Debian's source, with
# all that finds errors by itself (see config), or the one that looks for data races (see
# kcsan), or the one on which lines are counted (see gcov), and print the KEY=VALUE lines
# of qemu/kernel.sh: KREL, KVER, KDIR, VMLINUZ, VMLINUX, MODROOT, MODDIR, KSRC. As it is
# another kernel for the same guests, it says what else they need:
#
#   BOOT     the image to boot, see guest.sh
#   MACHINE  QEMU's -M; ACPI's code for the interrupts of "pc" is a loop that takes a
#            kernel with all these checks half a minute, that of "q35" is a table
#   KMAKE    variables for kbuild, to build modules with
#   KARGS    parameters for its command line
#   KMEM     MiB of memory that its checks take in a guest, more or less
#   KTIMES   how many times longer it takes
#
# MTDC_KERNEL="$(qemu/debug/kernel.sh)" selftests/run.sh swap
set -eu
. "$(dirname "$0")/../lib.sh"
. "$top/qemu/kbuild.sh"
PATH=$PATH:/sbin:/usr/sbin
here=$top/qemu/debug

# other_config FILE: config, with what FILE says otherwise, is the fragment
other_config()
{
	fragment=$(mktemp)
	trap 'rm -f "$fragment"' EXIT
	awk '
		function option() {
			return match($0, /CONFIG_[A-Z0-9_]+/) ? substr($0, RSTART, RLENGTH) : ""
		}
		!/^CONFIG_/ && !/^# CONFIG_/ { next }
		NR == FNR { other[option()] = 1; print; next }
		!(option() in other)' "$1" "$here/config" > "$fragment"
}

name=${1:-debug}
"$top/qemu/setup.sh" build debug

# slub_debug, not as it is on by default in the kernels of others: consistency checks
# and red zones; poison and the users' traces KASAN has in a better form.
case $name in
debug)
	kwhat="the debug kernel"
	fragment=$here/config
	kargs="panic_on_warn=1 page_poison=1 slub_debug=FZ"
	kmem=80 ktimes=6 ;;
kcsan)
	# A report would be a panic by panic_on_warn, in races of the stock kernel,
	# too; init.sh looks whose it is.
	kwhat="the kernel with KCSAN"
	# It is off until it is told so, where its default was not taken.
	kargs="kcsan.early_enable=1"
	kmem=32 ktimes=8
	other_config "$here/kcsan" ;;
gcov)
	kwhat="the kernel for coverage"
	kargs="panic_on_warn=1"
	# Smaller than Debian's: as much is left, and as much is swapped.
	kmem=-16 ktimes=3
	other_config "$here/gcov" ;;
*)
	die "usage: kernel.sh [debug|kcsan|gcov]" ;;
esac

# kbuild.sh reads these.
# shellcheck disable=SC2034
{
	kname=$name
	kfiles=1840
	karch=x86
	kvars=(ARCH=x86_64 CC=gcc-12)
	kimages=(vmlinux System.map arch/x86/boot/bzImage)
	# What a module is checked with after it was compiled.
	kkeep=(objtool)
}

# base_config FILE: nothing but what the fragment names.
base_config()
{
	kbuild -s KCONFIG_ALLCONFIG="$fragment" allnoconfig
}

find_source
provide_kernel gcc-12 bzImage modules

cat <<END
KREL=$krel
KVER=${ksrc##*/source-}
KDIR=$dir/build
VMLINUZ=$dir/bzImage
VMLINUX=$dir/vmlinux
MODROOT=$dir
MODDIR=$dir/lib/modules/$krel
KSRC=$ksrc
BOOT=$dir/bzImage
MACHINE=q35
KMAKE=${kvars[*]}
KARGS=$kargs
KMEM=$kmem
KTIMES=$ktimes
END
