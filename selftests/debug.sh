#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# debug.sh [NAME...|-NAME...]: run.sh's lane "debug", on the debug kernel (qemu/debug),
# which looks for errors that do no visible harm: use after free, undefined behaviour,
# locks taken in two orders, sleeping in atomic context, leaks. Any of that ends a
# guest.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)

MTDC_KERNEL=$("$here/../qemu/debug/kernel.sh") || exit 1
export MTDC_KERNEL
exec "$here/run.sh" --lane debug "$@"
