#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# drift.sh [--tap] [--quick]: wear of media that are rewritten in place, with half of
# the data cold, as a Markdown table on stdout (or TAP). Deterministic. --quick
# measures only the figure that has a target. Exit status 1 if the target is missed.
set -eu
. "$(dirname "$0")/lib.sh"

build drift "$src"/inplace_{freelist,drift}.c
exec "$out/drift" "$@"
