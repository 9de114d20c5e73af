#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# User Mode Linux in this guest, for selftests/um.sh. MTDC_UM_RUN is its directory on the host, which
# this guest can only read: it has a copy in RAM under the same name, and MTDC_OUT gets the results.
set -eu
mkdir -p "$MTDC_OUT"
mount -t 9p -o trans=virtio,version=9p2000.L out "$MTDC_OUT"
ram=/run/um
mkdir $ram
mount -t tmpfs -o size=640M tmpfs $ram
cp "$MTDC_UM_RUN"/run.env "$MTDC_UM_RUN"/command $ram
mount --bind $ram "$MTDC_UM_RUN"
export TMPDIR="$MTDC_UM_RUN"
eval "timeout 800 $(cat "$MTDC_UM_RUN/command")" > "$MTDC_UM_RUN/log" 2>&1 < /dev/null || :
for name in out result log; do
	[ ! -e "$MTDC_UM_RUN/$name" ] || cp "$MTDC_UM_RUN/$name" "$MTDC_OUT"
done
