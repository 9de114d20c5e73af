#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# log.sh [--tap] [--quick]: what the log writes for what it is given, and how evenly
# it wears, as Markdown tables on stdout (or TAP). Deterministic. --quick measures
# only what has a target. Exit status 1 if one is missed.
set -eu
. "$(dirname "$0")/lib.sh"

build log "$src"/{log,log_jobs,log_collect,map,media,label,residents,gc,wear,stream}.c
exec "$out/log" "$@"
