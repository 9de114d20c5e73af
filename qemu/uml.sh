#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# uml.sh [OPTION...] RUN SCRIPT [ARGUMENT...]: run a script in User Mode Linux, a kernel that is a
# program of the host: its code runs at the processor's own speed. MTDC_KERNEL, the output of
# qemu/kernel.sh, names the kernel. The script sees the host's files. Its writes stay in memory,
# except those to the directory RUN, its /run/out. Its output is in RUN/out, the kernel's own in
# RUN/log, the process's number in RUN/pid. Exit status 0 if the script and qemu/judge.sh had no
# complaint.
#
# --mem MIB        memory (256)
# --cpus N         processors (1)
# --timeout S      seconds until it is ended (120)
# --env NAME=VALUE for the script
set -eu
. "$(dirname "$0")/lib.sh"

mem=256 cpus=1 timeout=120 env=()
while [ $# -gt 1 ]; do
	case $1 in
	--mem)		mem=$2 ;;
	--cpus)		cpus=$2 ;;
	--timeout)	timeout=$2 ;;
	--env)		env+=("$2") ;;
	*)		break ;;
	esac
	shift 2
done
[ $# -ge 2 ] || die "usage: uml.sh [--mem MIB] [--cpus N] [--timeout S] [--env NAME=VALUE] RUN SCRIPT..."
run=$(cd "$1" && pwd -P)
shift

krel=$(kernel KREL)
modtree=$("$top/qemu/modtree.sh" "$krel" "$(kernel MODROOT)")
times=$(machine_times 1)
rm -f "$run/result" "$run/out"
cat > "$run/run.env" <<END
export MTDC_TOP=$top MTDC_BUILD=$build MTDC_MACHINE=um MTDC_MEM=$mem MTDC_TIMES=$times
export KREL=$krel MTDC_MODTREE=$modtree
$(for each in "${env[@]}"; do printf 'export %q\n' "$each"; done)
set -- sh $(printf '%q ' "$@")
END
# Its memory is a file there. /dev/shm may be small, or forbid programs.
# With several processors it controls its programs by seccomp filters only, not by ptrace().
# shellcheck disable=SC2016 # for the inner shell
TMPDIR=$run timeout --foreground -k 10 $((timeout * times)) \
	bash -c 'echo $$ > "$0"; exec "$@"' "$run/pid" \
	"$(kernel IMAGE)" "mem=${mem}M" "ncpus=$cpus" root=/dev/root rootfstype=hostfs ro \
	"init=$top/qemu/um-init.sh" "mtdc_top=$top" "mtdc_run=$run" con=null con0=null \
	seccomp=auto log_buf_len=1M quiet loglevel=4 panic=-1 > "$run/log" 2>&1 < /dev/null || :
grep -qx success "$run/result" 2>/dev/null || {
	tail -n 40 "$run/log" | sed 's/^/# /' >&2
	die "it did not end well, or its log is not clean"
}
