# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Variables of qemu/lib.sh and roots.sh:
# shellcheck disable=SC2034,SC2154
#
# Sourced by walk.sh, after roots.sh: make the disk of a machine with Debian 12, without the
# installer: a partition, GRUB, systemd and a kernel that is not the newest. apt's cache has the
# packages that the walk installs from Debian, because the machine has no network.

# The kernel of the last point release of Debian 12. If that is also the newest kernel, take the one
# before. Not always the one before, because 6.1.0-55 oopses in ext4 when memory is short (Debian's
# bug 1154101).
kernel_one=$(inside "$base" apt-cache show linux-image-amd64 |
	sed -n 's/^Depends: linux-image-\(6[^ ,]*\).*/\1/p' | sort -V | head -n 1)
[ "$kernel_one" != "$kernel_two" ] || kernel_one=$(newest_kernels | head -n 1)
# Packages of an installed Debian with a compiler, and packages that the walk installs later.
walk_packages="linux-image-$kernel_one systemd-sysv udev dbus kmod procps initramfs-tools
	grub2-common grub-pc-bin build-essential linux-compiler-gcc-12-x86"
walk_later="linux-headers-$kernel_one linux-headers-amd64 linux-image-amd64 dkms"
# The partition begins at this sector; GRUB uses the space before.
walk_start=2048 walk_mib=5120

# fetch_later DIR: download the later packages to the system's apt cache. With an
# empty archive directory --print-uris lists all of them.
fetch_later()
{
	local dir=$1 file

	# shellcheck disable=SC2086 # a list of words
	inside "$dir" apt-get -q -y --download-only install $walk_later &&
	inside "$dir" apt-get -qq -o Dir::Cache::archives=/tmp --print-uris install $walk_later \
		> "$roots/walk.uris" || return 1
	awk '{ print $2 }' "$roots/walk.uris" | while read -r file; do
		cp "$archives/$file" "$dir/var/cache/apt/archives/" || exit 1
	done
	rm -rf "$dir"/tmp/*
}

# initramfs_files DIR: configure the initramfs before the kernel is installed. With all modules, the
# installer's default, the guest would need a quarter of an hour for each initramfs.
initramfs_files()
{
	mkdir -p "$1/etc/initramfs-tools/conf.d" "$1/usr/share/initramfs-tools/modules.d"
	echo MODULES=list > "$1/etc/initramfs-tools/conf.d/walk"
	printf '%s\n' virtio_pci virtio_blk ext4 > "$1/usr/share/initramfs-tools/modules.d/walk"
}

# boot_files DIR: the settings that the installer asks for, and the service that runs the walk
boot_files()
{
	local system=$1/etc/systemd/system

	echo mtdcompr > "$1/etc/hostname"
	echo 0123456789abcdef0123456789abcdef > "$1/etc/machine-id"
	echo "LABEL=mtdcompr / ext4 errors=remount-ro 0 1" > "$1/etc/fstab"
	cp "$top/tools/package/walk.service" "$system/"
	mkdir -p "$system/multi-user.target.wants"
	ln -s ../walk.service "$system/multi-user.target.wants/"
	# Make an oops, a lockup and a hang end the guest as a failure, see qemu/guest.sh.
	cat > "$1/etc/default/grub" <<-'END'
		GRUB_TIMEOUT=0
		GRUB_CMDLINE_LINUX_DEFAULT="quiet"
		GRUB_CMDLINE_LINUX="console=ttyS0,115200 mitigations=off oops=panic panic=-1 systemd.show_status=no"
	END
	# For the first boot, until update-grub runs.
	cat > "$1/boot/grub/grub.cfg" <<-'END'
		set root=(hd0,msdos1)
		linux /vmlinuz root=LABEL=mtdcompr ro console=ttyS0,115200 mitigations=off oops=panic panic=-1 systemd.show_status=no
		initrd /initrd.img
		boot
	END
}

# install_walk DIR: install the system
install_walk()
{
	local dir=${!#}

	# shellcheck disable=SC2086 # a list of words
	initramfs_files "$dir" &&
	inside "$dir" apt-get -q -y -o Dpkg::Options::=--force-unsafe-io install $walk_packages &&
	fetch_later "$dir" &&
	mkdir -p "$dir/boot/grub" &&
	inside "$dir" grub-mkimage -O i386-pc -p '(hd0,msdos1)/boot/grub' -o /boot/grub/core.img \
		biosdisk part_msdos ext2 linux normal configfile &&
	boot_files "$dir" || return 1
	# Remove the chroot's settings: the way to the host's mirror, and the ban on services.
	rm -f "$dir/etc/apt/apt.conf.d/90host" "$dir/usr/sbin/policy-rc.d"
}

# le32 NUMBER: print its four bytes, little-endian
le32()
{
	printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) \
		$(($1 >> 16 & 255)) $(($1 >> 24 & 255)))"
}

# write_disk DIR FILE: write GRUB's first sector with a table of one partition (Linux, active), the
# rest of GRUB, and the partition
write_disk()
{
	local dir=$1 file=$2

	truncate -s "${walk_mib}M" "$file"
	mkfs.ext4 -q -F -L mtdcompr -d "$dir" -E "root_owner=0:0,offset=$((walk_start * 512))" \
		"$file" $(((walk_mib - walk_start / 2048) * 1024))k &&
	{
		head -c 440 "$dir/usr/lib/grub/i386-pc/boot.img"
		printf '\0\0\0\0\0\0\x80\xfe\xff\xff\x83\xfe\xff\xff'
		le32 $walk_start
		le32 $((walk_mib * 2048 - walk_start))
		head -c 48 /dev/zero
		printf '\x55\xaa'
		cat "$dir/boot/grub/core.img"
	} | dd of="$file" conv=notrunc status=none
}

# provide_disk: make the disk unless one with the same hash of all inputs exists. Sets disk.
provide_disk()
{
	local key

	key=$({
		declare -f fetch_later initramfs_files boot_files install_walk le32 write_disk
		echo "$walk_packages" "$walk_later" $walk_start $walk_mib "$(cat "$base/.whole")"
		cat "$top/tools/package/walk.service"
	} | sha256sum | cut -c 1-16)
	disk=$roots/walk-$key.img
	[ ! -s "$disk" ] || return 0
	provide walk "$key" install_walk || return 1
	rm -f "$roots"/walk-*.img "$roots"/walk-*.img.new
	say "making the disk of the walk"
	write_disk "$root" "$disk.new" || return 1
	# Renamed last, so that a file with the final name is complete.
	mv "$disk.new" "$disk"
	rm -rf "$root"
}
