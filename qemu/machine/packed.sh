# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Variables of guest.sh and of the machine's file:
# shellcheck disable=SC2034,SC2154
#
# Sourced by the files of machines other than the PC: they have a root of their own, which is built
# (build.sh) and packed into an image for each run, by default an initramfs, with the script and its
# files in /mtdc. The machine's file sets
#
#   deb_arch       Debian's name of the architecture, empty if it has no packages
#   page           bytes of a page
#   result_tty     serial port of the success signal, seen from the machine
#   modules        modules of the kernel, besides those that the driver needs; unset: all
#
# and, to replace the defaults here, mem, reserve, and the options that it lacks. It defines
# machine_qemu, which sets qemu (without the arguments common to all machines), kargs and
# reserve_addr; and may replace other functions of this file.
mem=128 reserve=64
lacks="--clock --cpu --drive --out --plugin"
modules=''

# machine_find ARGUMENT...: use the caller's build, which saves seconds a boot, or make one.
# batch.sh gets only its tests and their libraries, because the board's flash is small, and a mount
# would read the whole directory.
machine_find()
{
	local given=MTDC_MACHINE_$machine tests=$top/selftests/guest name

	if [ "$script" = "$tests/batch.sh" ]; then
		for name; do
			[ -f "$tests/$name.sh" ] || die "no selftests/guest/$name.sh"
		done
		for name in "$@" lib swaplib simlib cryptlib; do
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

# add FILE DEST: copy FILE into $run/root; a DEST with a slash at its end is a directory.
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
	# Hard links: no run writes to these files.
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

# machine_image: pack $run/root for QEMU to boot. The root is no tmpfs, because the kernel would
# swap out the test programs there.
machine_image()
{
	( cd "$run/root" && find . -mindepth 1 | LC_ALL=C sort |
		cpio -o -H newc --quiet -R 0:0 | gzip -1 ) > "$run/initramfs"
	qemu+=(-initrd "$run/initramfs")
	kargs="$kargs rdinit=/init rootfstype=ramfs"
}
