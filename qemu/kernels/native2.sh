# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # kernel.sh's variables
#
# The kernel of native.sh with two processors. Where that one only sets a variable to keep interrupts
# away, this one makes a system call of the host: it is for what two processors do to each other.
mkdir -p "$build"
fragment=$build/$name.config
{
	sed 's/-mtdcnative/-mtdcnative2/' "$kernels/native.config"
	# The profiler follows frame pointers to see who holds the lock.
	printf 'CONFIG_SMP=y\nCONFIG_NR_CPUS=2\nCONFIG_FRAME_POINTER=y\n'
} > "$fragment"
# shellcheck source-path=SCRIPTDIR
. "$kernels/native.sh"
