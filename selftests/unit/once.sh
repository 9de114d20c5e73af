#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# once.sh PROGRAM OPERATIONS: run a suite; its results go to PROGRAM.tap, its status to
# PROGRAM.status. A walk that never ends has failed, too: what it may take is processor
# time, as the machine may have much else to do.
status=0
ulimit -t $((300 + $2 / 2000))
OPS=$2 "$1" > "$1.tap" 2>&1 || status=$?
echo $status > "$1.status"
