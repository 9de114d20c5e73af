#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# drift.sh [--tap] [--quick]: wear of media that are rewritten in place, half of
# whose data are cold, as a Markdown table on stdout (or TAP). Deterministic. --quick
# measures only what has a target. Exit status 1 if it is missed.
set -eu
. "$(dirname "$0")/lib.sh"

build drift "$src"/{freelist,drift}.c
exec "$out/drift" "$@"
