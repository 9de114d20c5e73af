#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# debug.sh [--lane LANE] [NAME...|-NAME...]: run.sh on the debug kernel (qemu/debug),
# which looks for errors that do no visible harm: use after free, undefined behaviour,
# locks taken in two orders, sleeping in atomic context, leaks. Any of that ends a
# guest. The lane is "debug", unless another one is named.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)

MTDC_KERNEL=$("$here/../qemu/debug/kernel.sh") || exit 1
export MTDC_KERNEL
[ "${1:-}" = --lane ] || set -- --lane debug "$@"
exec "$here/run.sh" "$@"
