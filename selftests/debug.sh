#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# debug.sh [--short] [--lane LANE] [NAME...|-NAME...]: run.sh on the debug kernel
# (qemu/debug), which looks for errors that do no visible harm: use after free,
# undefined behaviour, locks taken in two orders, sleeping in atomic context, leaks.
# Any of that ends a guest. The lane is "debug", unless another one is named; "kcsan"
# is on the kernel that looks for data races. --short is what `make test` runs of it:
# the lane "brief", with less work where MTDC_OPS and the like do not say otherwise, and
# only the first part of some scripts, unless MTDC_SHORT is set and empty; with --lane it
# is that much work of another one.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)

if [ "${1:-}" = --short ]; then
	shift
	export MTDC_OPS=${MTDC_OPS:-200} MTDC_CYCLES=${MTDC_CYCLES:-20}
	export MTDC_ROUNDS=${MTDC_ROUNDS:-6} MTDC_EVERY=${MTDC_EVERY:-97}
	export MTDC_RIG=${MTDC_RIG:-none leak}
	[ "${1:-}" = --lane ] || set -- --lane brief "$@"
fi
[ "${1:-}" = --lane ] || set -- --lane debug "$@"
case ${2:-} in
kcsan)	kernel=kcsan ;;
*)	kernel=debug ;;
esac
MTDC_KERNEL=$("$here/../qemu/debug/kernel.sh" $kernel) || exit 1
export MTDC_KERNEL
exec "$here/run.sh" "$@"
