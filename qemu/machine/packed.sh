# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# guest.sh's variables, and those of the machine's file:
# shellcheck disable=SC2034,SC2154
#
# Sourced by the files of machines other than the PC: they have a root of their own, which is
# built (build.sh) and made into an image for each run, by default an initramfs, with the script
# and what it needs in /mtdc. Such a file sets
#
#   deb_arch       Debian's name of the architecture, empty if it has no packages
#   page           bytes of a page
#   result_tty     serial port of the success signal, seen from the machine
#   modules        of the kernel's, besides what ours need; all of them, if it is not set
#
# and, if they are others than here, mem, reserve, and the options that it lacks. It
# defines machine_qemu, which sets qemu (what is not the same for all), kargs and
# reserve_addr; and may define others of the functions here.
mem=128 reserve=64
lacks="--clock --cpu --drive --out --plugin"
modules=''

# machine_find ARGUMENT...: a build is passed on from the caller, or made: seconds saved per
# boot. batch.sh gets the tests that it is to run and their libraries; no more than that: the
# board's flash is small, and all of the directory would be read at the mount.
machine_find()
{
	local given=MTDC_MACHINE_$machine tests=$top/selftests/guest name

	if [ "$script" = "$tests/batch.sh" ]; then
		for name; do
			[ -f "$tests/$name.sh" ] || die "no selftests/guest/$name.sh"
		done
		for name in "$@" lib swaplib simlib; do
			adds+=("$tests/$name.sh")
		done
	fi
	"$top/qemu/setup.sh" build "$machine"
	# field() reads it.
	built=${!given:-}
	if [ -z "$built" ]; then
		built=$("$machines/build.sh" "$machine") || exit 1
	fi
	krel=$(field KREL)
	image=$(field IMAGE)
	ktimes=1
}

machine_environment()
{
	echo "export MTDC_TOP=/mtdc MTDC_BUILD=/run/build MTDC_PAGE=$page"
	echo "export MTDC_RESULT=/dev/$result_tty"
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

# machine_root ARGUMENT...: fresh for each run
machine_root()
{
	local item

	exec 8>"$build/machine-$machine/.lock"
	flock -s 8
	# Links: nobody writes to them.
	cp -al "$(field ROOT)" "$run/root"
	exec 8>&-
	add "$script" /mtdc/
	for item in ${adds[@]+"${adds[@]}"}; do
		case $item in
		*:*)	add "${item%%:*}" "${item#*:}" ;;
		*)	add "$item" /mtdc/ ;;
		esac
	done
	environment "/mtdc/$(basename "$script")" "$@" > "$run/root/mtdc/run.env"
	machine_image
	rm -rf "$run/root"
}

# machine_image: what QEMU boots from, of $run/root. No tmpfs as the root: what would be
# swapped of it are the programs that test.
machine_image()
{
	( cd "$run/root" && find . -mindepth 1 | LC_ALL=C sort |
		cpio -o -H newc --quiet -R 0:0 | gzip -1 ) > "$run/initramfs"
	qemu+=(-initrd "$run/initramfs")
	kargs="$kargs rdinit=/init rootfstype=ramfs"
}
