#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# once.sh PROGRAM OPERATIONS: run a suite; its results go to PROGRAM.tap, its status to
# PROGRAM.status. A walk that never ends has failed, too: what it may take is processor
# time, as the machine may have much else to do. One that sleeps for ever takes none: ten
# times as long by the clock.
status=0
limit=$((300 + $2 / 2000))
ulimit -t $limit
OPS=$2 timeout $((10 * limit)) "$1" > "$1.tap" 2>&1 || status=$?
echo $status > "$1.status"
