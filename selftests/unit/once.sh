#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# once.sh PROGRAM OPERATIONS: run a suite; its results go to PROGRAM.tap, its status to
# PROGRAM.status. An endless loop fails by a limit of processor time, which does not depend on the
# load of the machine. A program that sleeps for ever uses no processor time, so there is also a
# limit of ten times as long by the clock.
status=0
limit=$((300 + $2 / 2000))
ulimit -t $limit
OPS=$2 timeout $((10 * limit)) "$1" > "$1.tap" 2>&1 || status=$?
echo $status > "$1.status"
