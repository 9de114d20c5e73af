# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # kernel.sh's and kbuild.sh's variables
#
# Sourced by the files of kernels that find errors or count lines. They run the same guests as
# Debian's kernel, and are built from its source.
# shellcheck source-path=SCRIPTDIR
# shellcheck source=kbuild.sh
. "$kernels/lib/kbuild.sh"

# other_config FILE: make the fragment of debug.config and the options in FILE, which win
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
		!(option() in other)' "$1" "$kernels/debug.config" > "$fragment"
}

# checked_kernel: QEMU boots the bzImage. A kernel with KASAN can't start by vmlinux's PVH entry,
# whose code runs before there is any shadow memory. Building a module needs objtool to check its
# objects. ACPI's code for the interrupts of "pc" is a loop that takes a kernel with all the checks
# half a minute, the code of "q35" is a table.
checked_kernel()
{
	"$top/qemu/setup.sh" build debug
	kfiles=1840
	karch=x86
	kvars=(ARCH=x86_64 CC=gcc-12)
	kimages=(arch/x86/boot/bzImage vmlinux System.map)
	kkeep=(objtool)
	provide_kernel gcc-12 bzImage modules
	echo KMACHINE=q35
}
