#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# log.sh [--tap] [--quick]: write amplification of the log and evenness of wear, as
# Markdown tables on stdout (or TAP). Deterministic. --quick measures only figures
# that have a target. Exit status 1 if a target is missed.
set -eu
. "$(dirname "$0")/lib.sh"

build log "$src"/{log,log_{jobs,pace,pages,blocks,label,residents,gc,wear,stream,keys},map,media,crypt}.c
exec "$out/log" "$@"
