#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# systemd-test.sh: boot a Debian guest with systemd and mtdcompr-generator: swap is active after
# boot; missing, used or wrong media do not stop the boot; the shutdown stops the swap without an
# error although pages are swapped out. Then boot once more with systemd.mtdcompr=0. Prints TAP;
# exit status 0 only if nothing failed. Takes some minutes; the first run makes the guest with
# debootstrap.
#
# It builds the module for the guest's kernel, and mtdcomprctl and the generator as static programs.
#
# job: packages systemd
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
# shellcheck source-path=SCRIPTDIR source=../../qemu/lib.sh
. "$here/../../qemu/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../selftests/tap.sh
. "$top/selftests/tap.sh"
out=${O:-$build/boot-test}
# kbuild would use O as its output directory.
unset O
mem=256
mkdir -p "$out/tools"

build_parts()
{
	"$top/qemu/setup.sh" build guest tools
	if [ -z "${MTDC_KERNEL:-}" ]; then
		MTDC_KERNEL=$("$top/qemu/kernel.sh") || exit 1
	fi
	export MTDC_KERNEL
	"$top/qemu/build.sh" > "$out/build.log" 2>&1 || die "no module, see $out/build.log"
	for tool in boot mtdcomprctl; do
		make -s -C "$top/tools/$tool" O="$out/tools" STATIC=1 WERROR=1
	done
}

# The media: three MTDs in memory that the kernel does not use.
configure()
{
	local megabyte=$((1 << 20)) at phram=/sys/module/phram/parameters/phram

	at=$((mem * megabyte))
	printf 'options phram phram=ext,0x%x,32Mi\n' $at > "$out/modprobe"
	# phram takes one MTD when it is loaded; the others are added at run time.
	cat > "$out/media.service" <<-END
		[Unit]
		DefaultDependencies=no
		After=systemd-modules-load.service
		Before=mtdcompr-setup@mtdcompr0.service
		[Service]
		Type=oneshot
		ExecStart=/bin/sh -c "echo second,$((at + 32 * megabyte)),16Mi > $phram"
		ExecStart=/bin/sh -c "echo third,$((at + 48 * megabyte)),16Mi > $phram"
	END
	printf '[Unit]\nWants=media.service mtdc-stopped.service\n' > "$out/wants.conf"
	cp "$here/examples/modules-load.d-mtdcompr.conf" "$out/modules-load"
}

# boot NAME ARGUMENT... -- APPEND...
boot()
{
	local name=$1 status=0 system=/etc/systemd/system

	shift
	rm -f "$out/$name".{log,out,tap}
	"$top/qemu/guest.sh" --machine debian --mem $mem --reserve 64 --timeout 400 --quiet \
		--log "$out/$name.log" "${append[@]}" \
		--add "$out/tools/mtdcompr-generator:/usr/local/lib/systemd/system-generators/" \
		--add "$out/tools/mtdcomprctl:/usr/local/sbin/" \
		--add "$here/test/guest.conf:/etc/systemd/mtdcompr-generator.conf" \
		--add "$out/modprobe:/etc/modprobe.d/mtdcompr.conf" \
		--add "$out/modules-load:/etc/modules-load.d/mtdcompr.conf" \
		--add "$out/media.service:$system/" \
		--add "$here/test/mtdc-stopped.service:$system/" \
		--add "$out/wants.conf:$system/sysinit.target.d/" \
		--add "$here/test/systemd-stopped.sh" ${end:+--add "$end:/mtdc/at-end"} \
		"$here/test/systemd-guest.sh" "$@" > "$out/$name.out" 2>&1 || status=$?
	grep -aE '^(ok|not ok|#|1\.\.)' "$out/$name.log" > "$out/$name.tap" || :
	[ $status = 0 ] || tail -q -n 15 "$out/$name.out" "$out/$name.log" | sed 's/^/# /'
	pass_on $status "$out/$name.tap" "$name: "
	result $status "$name: the guest came to its end, and the kernel's log is clean"
}

build_parts
configure
append=() end=$here/test/systemd-end.sh
boot systemd
append=(--append systemd.mtdcompr=0) end=
boot systemd-off off
end_results
