# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the sourcing scripts' and qemu/lib.sh's variables
#
# Sourced, after qemu/lib.sh, by the scripts that build for a foreign machine and boot
# it: what all of these machines have in common, the paper's board (qemu/board) among
# them. A file NAME.sh beside this one describes the machine NAME; it sets
#
#   cross          prefix of the cross compiler
#   deb_arch       Debian's name of the architecture, empty if it has no packages
#   page           bytes of a page
#   result_tty     serial port of the success signal, seen from the machine
#
# and defines machine_kernel, which prints KEY=VALUE lines
#
#   KREL     release, as in uname -r
#   KDIR     what to build modules against
#   KMAKE    variables of kbuild for that
#   IMAGE    the kernel image
#   MODROOT  directory with its modules below lib/modules/$KREL
#
# and machine_qemu MEM RESERVE SMP, which sets qemu (the command, without what is the
# same for all), kargs, and reserve_addr. The root file system is busybox, the
# modules and the tests' helpers as static programs.
machines=$top/qemu/machine

# machine NAME
machine()
{
	machine=$1
	grep -q '^machine_qemu()' "$machines/$machine.sh" 2>/dev/null ||
		die "no machine \"$machine\""
	# shellcheck source=/dev/null
	. "$machines/$machine.sh"
}

# quote STRING: for a shell that knows nothing but POSIX.
quote()
{
	printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

# check_env NAME=VALUE...
check_env()
{
	local item

	for item; do
		case ${item%%=*} in
		"$item"|''|[0-9]*|*[!A-Za-z0-9_]*)
			die "--env $item: not NAME=VALUE" ;;
		esac
	done
}

# environment SCRIPT ARGUMENT...: what the machine's init sources, after what the
# caller knows of the machine: extra_env, and these arguments.
environment()
{
	local item

	for item in ${extra_env[@]+"${extra_env[@]}"}; do
		printf 'export %s=%s\n' "${item%%=*}" "$(quote "${item#*=}")"
	done
	printf 'set --'
	for item; do
		printf ' %s' "$(quote "$item")"
	done
	echo
}

# add FILE DEST: into the tree in $run/root; what ends with a slash is a directory.
add()
{
	local to=$run/root/${2#/}

	case $2 in
	*/)	to=$to$(basename "$1") ;;
	esac
	mkdir -p "$(dirname "$to")"
	rm -rf "$to"
	cp -rL "$1" "$to"
}

# add_all: the script and what the user wants beside it
add_all()
{
	local item

	add "$script" /mtdc/
	for item in ${adds[@]+"${adds[@]}"}; do
		case $item in
		*:*)	add "${item%%:*}" "${item#*:}" ;;
		*)	add "$item" /mtdc/ ;;
		esac
	done
}

# boot NAME COMMAND...: run QEMU until the machine has said success in $run/result, or
# the time is over: status 0, 124, or 1 for anything else.
boot()
{
	local name=$1 status=0
	shift

	: > "$run/result"
	# The serial line's carriage returns are of no use in a log. pipefail makes
	# the status that of timeout.
	set -o pipefail
	timeout --foreground -k 10 "$limit" "$@" </dev/null 2>&1 |
		sed -u 's/\r//g' |
		if [ -n "$quiet" ]; then cat > "$log"; else tee "$log"; fi ||
		status=$?
	if [ "$status" = 124 ]; then
		say "$name: no result after $limit s, log in $log"
		return 124
	fi
	if ! grep -q "^success" "$run/result"; then
		say "$name: failed, log in $log"
		return 1
	fi
}

# debian_kernel ARCH METAPACKAGE: what Debian has for it, unpacked in the cache. The
# programs that build modules are those of the machine that builds.
debian_kernel()
{
	local arch=$1 image krel dir headers debs=("$top/qemu/debs.sh" bookworm)

	image=$("${debs[@]}" "$arch" depends "$2" 'linux-image-[^ ]*') || exit 1
	[ -n "$image" ] || die "apt offers no $2"
	krel=${image#linux-image-}
	dir=$cache/kernel-$arch-$krel
	headers=$dir/usr/src/linux-headers-$krel
	"${debs[@]}" "$arch" unpack "$dir" "$image" "linux-headers-$krel" \
		"linux-headers-${krel%-"${2#linux-image-}"}-common" >&2 || exit 1
	"${debs[@]}" amd64 unpack "$dir.kbuild" linux-kbuild-6.1 >&2 || exit 1
	# The headers want to be below /usr/src, and say so in one Makefile.
	sed -i "s|include /usr/src/|include $dir/usr/src/|" "$headers/Makefile"
	mkdir -p "$dir/usr/lib"
	ln -sfn "$dir.kbuild/usr/lib/linux-kbuild-6.1" "$dir/usr/lib/linux-kbuild-6.1"
	rm -f "$dir/lib/modules/$krel/build" "$dir/lib/modules/$krel/source"
	PATH=$PATH:/sbin:/usr/sbin depmod -b "$dir" "$krel"
	cat <<-EOF
		KREL=$krel
		KDIR=$headers
		IMAGE=$dir/boot/vmlinuz-$krel
		MODROOT=$dir
	EOF
}
