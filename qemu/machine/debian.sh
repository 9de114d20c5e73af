# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# guest.sh's variables:
# shellcheck disable=SC2034,SC2154
#
# Sourced by guest.sh: the PC as a Debian system, with systemd as process 1 and the kernel of
# qemu/kernel.sh. Its root is an image (debianroot.sh); each run uses a temporary copy. The script
# runs when multi-user.target is reached. Then systemctl reboots the guest. After all file systems
# are unmounted, the guest writes "success" if the script has succeeded, if /mtdc/at-end (which
# --add may install) succeeds, and if the kernel's log is clean.
#
# MTDC_MODULES: modules that the guest gets, with their dependencies
# MTDC_PACKAGES: additional Debian packages of its root
lacks="--drive --out --plugin"
mem=256 reserve=64
boot_limit=60
cpu=qemu64,+ssse3,+sse4.1,+sse4.2,+popcnt
: "${MTDC_MODULES:=mtdcompr phram}" "${MTDC_PACKAGES:=}"

machine_find()
{
	"$top/qemu/setup.sh" build guest
	if [ -z "${MTDC_KERNEL:-}" ]; then
		MTDC_KERNEL=$("$top/qemu/kernel.sh") || exit 1
	fi
	krel=$(kernel KREL)
	image=$(kernel IMAGE)
	ktimes=$(kernel KTIMES)
	: "${ktimes:=1}"
	modtree=$("$top/qemu/modtree.sh" "$krel" "$(kernel MODROOT)") || exit 1
	busybox=$("$machines/busybox.sh" amd64) || exit 1
	# shellcheck disable=SC2086 # a list of words
	root=$("$machines/debianroot.sh" $MTDC_PACKAGES) || exit 1
}

# machine_qemu: as pc.sh
machine_qemu()
{
	reserve_addr=$((mem << 20))
	kargs="console=ttyS0,115200 mitigations=off no_timer_check nokaslr log_buf_len=1M \
rdinit=/init systemd.show_status=no systemd.getty_auto=no systemd.firstboot=no $(kernel KARGS)"
	[ "$reserve" = 0 ] || kargs="$kargs memmap=${reserve}M\$$(printf '0x%x' "$reserve_addr")"
	qemu=(qemu-system-x86_64 -M pc -cpu "$cpu" -m $((mem + reserve + 1)) -smp "$smp"
		-serial stdio -serial "file:$run/result"
		-drive "if=virtio,format=raw,snapshot=on,file=$root")
}

machine_environment()
{
	echo "export MTDC_TOP=/mtdc MTDC_BUILD=/run/build MTDC_RESULT=/dev/ttyS1"
}

# add FILE DEST: copy FILE into the guest's root; a DEST with a slash at its end is a directory
add()
{
	local to=$run/root/add/${2#/}

	case $2 in
	*/)	to=$to$(basename "$1") ;;
	esac
	mkdir -p "$(dirname "$to")"
	cp -rL "$1" "$to"
}

# module_files MODULE...: files of the modules and their dependencies, in load order
module_files()
{
	local module

	for module; do
		PATH=$PATH:/sbin:/usr/sbin modprobe -C /dev/null -d "$modtree" -S "$krel" \
			--show-depends "$module" || die "the kernel $krel has no module $module"
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++'
}

# unpacked MODULE_FILE DIR: newer kernels have compressed modules
unpacked()
{
	local name=${1##*/}

	name=$2/${name%.ko*}.ko
	case $1 in
	*.xz)	xz -dc "$1" > "$name" ;;
	*.zst)	zstd -qdc "$1" > "$name" ;;
	*)	cp -L "$1" "$name" ;;
	esac
	echo "${name##*/}"
}

add_modules()
{
	local dir=$run/root/add/usr/lib/modules/$krel file

	mkdir -p "$dir/kernel" "$run/root/modules"
	module_files virtio_pci virtio_blk ext4 > "$run/list"
	while read -r file; do
		unpacked "$file" "$run/root/modules"
	done < "$run/list" > "$run/root/modules/order"
	# shellcheck disable=SC2086 # a list of words
	module_files $MTDC_MODULES > "$run/list"
	while read -r file; do
		unpacked "$file" "$dir/kernel" > /dev/null
	done < "$run/list"
	cp "$modtree/lib/modules/$krel"/modules.{builtin*,order} "$dir/"
	PATH=$PATH:/sbin:/usr/sbin depmod -b "$run/root/add/usr" "$krel"
}

# machine_root SCRIPT's ARGUMENT...
machine_root()
{
	local item

	mkdir -p "$run/root/bin" "$run/root/dev"
	cp "$busybox" "$run/root/bin/busybox"
	install -m 755 "$machines/debian/init" "$run/root/init"
	add "$script" /mtdc/
	add "$top/qemu/judge.sh" /mtdc/
	add "$machines/debian/run" /mtdc/run
	add "$machines/debian/end" /usr/lib/systemd/system-shutdown/mtdc
	add "$machines/debian/mtdc.service" /etc/systemd/system/
	mkdir -p "$run/root/add/etc/systemd/system/multi-user.target.wants"
	ln -s ../mtdc.service "$run/root/add/etc/systemd/system/multi-user.target.wants/"
	for item in ${adds[@]+"${adds[@]}"}; do
		case $item in
		*:*)	add "${item%%:*}" "${item#*:}" ;;
		*)	add "$item" /mtdc/ ;;
		esac
	done
	add_modules
	environment "/mtdc/$(basename "$script")" "$@" > "$run/root/add/mtdc/run.env"
	( cd "$run/root" && find . -mindepth 1 | LC_ALL=C sort |
		cpio -o -H newc --quiet -R 0:0 | gzip -1 ) > "$run/initramfs"
	rm -rf "$run/root"
	qemu+=(-initrd "$run/initramfs")
}
