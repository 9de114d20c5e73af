#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# walk-guest.sh: the guest of walk.sh runs it at each boot, from its second disk: do the next step
# of the walk and reboot. TAP goes to the second serial port, the commands' output to the first. It
# runs the commands of install.rst and remove.rst unchanged.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive
here=$(cd "$(dirname "$0")" && pwd -P)
state=/var/lib/walk
conf=/etc/systemd/mtdcompr-generator.conf
ours="mtdcompr-dkms mtdcompr-tools"
exec > /dev/ttyS0 2>&1 < /dev/null
# Sets KERNEL_ONE and KERNEL_TWO, to be installed one after the other, and TIMES, the factor for all
# time limits.
# shellcheck source=/dev/null
. "$here/walk.env"
# shellcheck source-path=SCRIPTDIR source=../../qemu/judge.sh
. "$here/judge.sh"

# tap LINE...: print it to the second serial port and to standard output; sync before the next step
tap()
{
	printf '%s\n' "$@" > /dev/ttyS1
	printf '%s\n' "$@"
	sync
}

# result STATUS WHAT: one numbering for all boots
result()
{
	number=$(($(cat $state/number) + 1))
	echo $number > $state/number
	if [ "$1" = 0 ]; then
		tap "ok $number - boot $boot: $2"
	else
		tap "not ok $number - boot $boot: $2"
	fi
}

# is WHAT GOT WANTED
is()
{
	if [ "$2" = "$3" ]; then
		result 0 "$1"
	else
		result 1 "$1"
		tap "# got:  $2" "# want: $3"
	fi
}

# holds WHAT TEST...
holds()
{
	what=$1
	shift
	if [ "$@" ]; then
		result 0 "$what"
	else
		result 1 "$what"
		tap "# not true: $*"
	fi
}

# runs WHAT SECONDS COMMAND...: the command has to succeed; its output goes to /run/said
runs()
{
	what=$1 limit=$2
	shift 2
	from=$(cut -d . -f 1 /proc/uptime)
	{
		timeout $((limit * TIMES)) "$@" 2>&1
		echo $? > /run/status
	} | tee /run/said
	status=$(cat /run/status)
	result "$status" "$what"
	echo "# $(($(cut -d . -f 1 /proc/uptime) - from)) s"
	[ "$status" = 0 ] || tap "# status $status" "$(tail -n 12 /run/said | sed 's/^/# /')"
}

# page SECTION SECONDS: run the commands of a section of install.rst or remove.rst
page()
{
	awk -v section=".. walk: $1" '
		/^\.\. walk: / { on = $0 == section }
		on && /^\t# / { print substr($0, 4) }' "$here/install.rst" "$here/remove.rst" \
		> /run/commands
	holds "the page has commands: $1" -s /run/commands
	while read -r command <&3; do
		case $command in
		*reboot)	;;
		*)		runs "$command" "$2" bash -c "$command" ;;
		esac
	done 3< /run/commands
}

cell() { mtdcomprctl list -n -b --raw -o "$1" mtdcompr0; }
log() { journalctl -q --no-pager -o cat "$@"; }
swaps() { awk '/mtdcompr/ { print $1, $5 }' /proc/swaps; }
failed() { systemctl list-units --failed --plain --no-legend; }
built() { dkms status -m mtdcompr | sed -n 's/^mtdcompr.*, \(6[^,]*\),.*: installed.*/\1/p' | sort; }
files() { find /lib/modules -name 'mtdcompr.ko*' | cut -d / -f 4 | sort; }

# filled: a program uses more memory than the machine has; its pages come back unchanged. Most of
# the memory is put aside first, because filling all of it takes minutes.
filled()
{
	rm -f /run/kept /run/kept.go
	echo 700 > /proc/sys/vm/nr_hugepages
	timeout $((600 * TIMES)) "$here/memsig" -s "$boot" -m 3000 -o 64 -g 0 -k 48 -p -w /run/kept \
		> /run/memsig 2>&1 &
	job=$!
	while [ ! -e /run/kept ] && kill -0 $job 2> /dev/null; do
		sleep 1
	done
	holds "what the program kept is on the device" "$(cell DATA)" -gt $((40 << 20))
	runs "mtdcomprctl" 60 mtdcomprctl
	runs "mtdcomprctl stats" 60 mtdcomprctl stats
	is "no error is counted" "$(cell ERRORS,LOST)" "0 0"
	runs "mtdcomprctl stats --openmetrics" 60 mtdcomprctl stats --openmetrics
	is "the metrics have an end" "$(tail -n 1 /run/said)" "# EOF"
	is "they say that the device is well" \
		"$(grep -c '^mtdcompr_state{device="mtdcompr0",.*state="ok"} 1' /run/said)" 1
	: > /run/kept.go
	wait $job
	is "every byte was right" $? 0
	cat /run/memsig
	echo 0 > /proc/sys/vm/nr_hugepages
}

# swapped KERNEL COMPRESSOR: the boot has set up swap
swapped()
{
	is "the kernel" "$(uname -r)" "$1"
	is "the swap is there, with its priority" "$(swaps)" "/dev/mtdcompr0 100"
	is "media and compressor" "$(cell MEDIA,ALGORITHM,MOUNTPOINT)" "ext $2 [SWAP]"
}

install_step()
{
	is "the kernel" "$(uname -r)" "$KERNEL_ONE"
	is "no file of the packages is there" "$(leftovers)" ""
	echo 'APT::Get::Assume-Yes "true";' > /etc/apt/apt.conf.d/90walk
	cd "$here" || exit 1
	page install 3000
	is "DKMS has built the module for the kernel that runs" \
		"$(built | grep -x "$KERNEL_ONE")" "$KERNEL_ONE"
	is "modprobe finds it" "$(modinfo -F vermagic mtdcompr | cut -d ' ' -f 1)" "$KERNEL_ONE"
	timeout 60 mtdcomprctl swap on --find > /run/said 2>&1
	is "swap without media is refused, in one line" \
		"$? $(grep -c 'there are no MTDs' /run/said) $(wc -l < /run/said) $(swaps)" "1 1 1 "
	cat /run/said
	page boot 300
	is "the kernel's log is clean" "$(judge | head -n 20)" ""
}

upgrade_step()
{
	swapped "$KERNEL_ONE" lz4
	is "no unit has failed" "$(failed)" ""
	filled
	runs "apt install linux-image-amd64" 3000 apt install linux-image-amd64
	is "its initramfs does not wait for the swap to resume from it" \
		"$(grep -c 'resume from /dev/mtdcompr' /run/said)" 0
	is "DKMS has built the module for both" "$(built | tr '\n' ' ')" "$KERNEL_ONE $KERNEL_TWO "
	is "they are there" "$(files | tr '\n' ' ')" "$KERNEL_ONE $KERNEL_TWO "
	is "the kernel's log is clean" "$(judge | head -n 20)" ""
}

upgraded_step()
{
	swapped "$KERNEL_TWO" lz4
	is "no unit has failed" "$(failed)" ""
	filled
	is "the kernel's log is clean" "$(judge | head -n 20)" ""
	printf '%s\n' 'compression-algorithm = lz77' '[mtdcompr1]' 'media = nothing' >> $conf
}

# An error in the configuration does not stop the boot.
remove_step()
{
	swapped "$KERNEL_TWO" lz4
	is "an unknown compressor is one line in the log" "$(dmesg | grep -c 'lz77')" 1
	is "media that are missing are one failed unit" \
		"$(failed | awk '{ print $1 }')" mtdcompr-setup@mtdcompr1.service
	is "and one line in the log" \
		"$(log -b -u mtdcompr-setup@mtdcompr1.service | grep -c 'no such MTD')" 1
	# shellcheck disable=SC2086 # a list of words
	runs "apt remove $ours" 600 apt remove $ours
	is "no swap" "$(swaps)" ""
	is "no module is there to be loaded" "$(files)" ""
	is "no unit is there" \
		"$(systemctl list-units --all --plain --no-legend 'mtdcompr*' 'dev-mtdcompr*')" ""
	page remove 600
	is "no file of the packages is left" "$(leftovers)" ""
	# shellcheck disable=SC2086 # a list of words
	is "dpkg knows nothing of them" "$(dpkg-query -W -f '${db:Status-Abbrev}' $ours 2> /dev/null)" ""
	is "the kernel's log is clean" "$(judge | head -n 20)" ""
}

removed_step()
{
	is "the kernel" "$(uname -r)" "$KERNEL_TWO"
	is "no swap" "$(swaps)" ""
	is "no module is loaded" "$(grep -c '^mtdcompr ' /proc/modules)" 0
	is "no unit is there" "$(find /run/systemd -name '*mtdcompr*')" ""
	is "no unit has failed" "$(failed)" ""
	is "the kernel's log is clean" "$(judge | head -n 20)" ""
}

# leftovers: files with our name, except those that the user wrote
leftovers()
{
	find / -xdev \( -path /mnt -o -path /var/log -o -path $state \) -prune -o \
		\( -name '*mtdcompr*' \) -print | grep -vxF -e "$conf" -e /etc/modprobe.d/mtdcompr.conf \
		-e /etc/modules-load.d/mtdcompr.conf
}

# shutdown_before: the last shutdown had no error in its log after the mark
shutdown_before()
{
	is "the shutdown before was without an error" "$(log -b -1 |
		awk -v mark="$leaving" 'found { print } $0 == mark { found = 1 }
			END { if (!found) print "mtdcompr: error: not in the log: " mark }' |
		grep -v 'module verification failed' |
		grep -iE 'mtdcompr.*(fail|error|stays)|swap.*fail|failed (deactivating|unmounting)')" ""
}

leaving="the boot is left"
mkdir -p $state
[ -e $state/number ] || echo 0 > $state/number
boot=$(($(cat $state/boot 2> /dev/null || echo 0) + 1))
echo $boot > $state/boot
stty -F /dev/ttyS1 raw -echo
echo "# boot $boot, $(uname -r), up in $(cut -d ' ' -f 1 /proc/uptime) s"
[ $boot = 1 ] || shutdown_before
case $boot in
1)	install_step ;;
2)	upgrade_step ;;
3)	upgraded_step ;;
4)	remove_step ;;
*)	removed_step
	tap "1..$(cat $state/number)" "# walk: success"
	systemctl --no-block poweroff
	exit ;;
esac
logger -t walk "$leaving"
systemctl --no-block reboot
