#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [SUITE...]: build the packages and use them, as one TAP stream with the plan at its end;
# exit status 0 only if nothing failed. It runs in small Debian systems in the cache, which have
# only the packages that debian/control names. Needs root and about 3 GB in the cache.
#
#   build     dpkg-buildpackage in an export of the tree
#   lint      lintian has no complaint
#   install   install the packages, run their programs, load the Lua module, compile a program with
#             libmarvin, run another one with its malloc(), remove the packages
#   dkms      installing the package builds the module for the present kernel; a second kernel gets
#             its module when it is installed, a kernel without MTD none; removal deletes them
#   load      load the module that DKMS has built in a guest, and swap to it
#   make      the same as dkms, with "make dkms-install" and "make dkms-remove"
#   recipes   check those for Buildroot, Yocto and OpenWrt as far as possible here
#
# O          directory for the output (build/package); the packages go to its debs
# MTDC_JOBS  parallel compiler runs (2)
#
# job: packages package
set -eu
# shellcheck source-path=SCRIPTDIR source=../../qemu/lib.sh
. "$(dirname "$0")/../../qemu/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../selftests/tap.sh
. "$top/selftests/tap.sh"
# shellcheck source-path=SCRIPTDIR source=roots.sh
. "$top/tools/package/roots.sh"
suites="build lint install dkms load make recipes"
wanted=${*:-$suites}
known "$wanted" "$suites"
needs_roots
out=${O:-$top/build/package}
# shellcheck source-path=SCRIPTDIR source=build-debs.sh
. "$top/tools/package/build-debs.sh"
mkdir -p "$out"
lock_roots
# Clean up after an interrupted test, too.
trap 'rm -rf ${made[@]+"${made[@]}"} "$roots/build/build"' EXIT
provide_base || die "cannot make a Debian system; see $roots/base.log and update.log"

daemons="latd proswapd rectifyd marvind"

# expect WHAT STATUS COMMAND...: the command has to end with this status
expect()
{
	local what=$1 wanted=$2 status=0
	shift 2

	"$@" > "$out/step.log" 2>&1 || status=$?
	[ $status = "$wanted" ] || sed 's/^/# /' "$out/step.log" | tail -n 12
	result $((status != wanted)) "$what"
}

install_lintian()
{
	apt_inside "${!#}" install lintian
}

lint()
{
	needs_debs
	provide lint 1 install_lintian || {
		result 1 "lintian can be installed"
		return
	}
	rm -rf "$root/debs"
	cp -r "$debs" "$root/debs"
	inside "$root" sh -c 'lintian --fail-on error,warning --show-overrides \
		/debs/*.changes' > "$out/lintian.log" 2>&1 || :
	# lintian prints overrides with their reasons.
	grep -vE '^(N:|O:|running with root)' "$out/lintian.log" > "$out/lintian.left" || :
	sed 's/^/# /' "$out/lintian.left"
	result "$(wc -l < "$out/lintian.left")" "lintian says nothing ($(
		grep -c '^O:' "$out/lintian.log") overridden)"
}

# all_debs: copy the packages into the system; print their paths there
all_debs()
{
	rm -rf "$root/debs"
	cp -r "$debs" "$root/debs"
	( cd "$root" && ls debs/*.deb ) | grep -v -e -dbgsym_ -e mtdcompr-dkms_ | sed 's|^|/|'
}

c_program()
{
	cat > "$root/use.c" <<-'END'
		#include <marvin.h>
		#include <stddef.h>
		#include <stdio.h>

		int main(void)
		{
			return printf("%p\n", (void *)marvin_open) < 0;
		}
	END
	# shellcheck disable=SC2016 # for the inner shell
	inside "$root" sh -c 'cc -Wall -Werror -o /use /use.c $(pkg-config --cflags --libs marvin) &&
		/use && ldd /use | grep -q libmarvin.so.1'
}

# try_daemon NAME: check an installed daemon
try_daemon()
{
	local daemon=$1 state

	try "$daemon --version" inside "$root" "$daemon" --version
	try "$daemon --check takes the configuration that is installed" \
		inside "$root" "$daemon" --check -c "/etc/$daemon.conf"
	try "systemd takes $daemon.service" \
		inside "$root" systemd-analyze --man=no verify "$daemon.service"
	state=$(inside "$root" systemctl is-enabled "$daemon.service" 2>/dev/null) || :
	case $daemon,$state in
	marvind,enabled)	result 0 "$daemon.service is enabled" ;;
	marvind,*)		result 1 "$daemon.service is enabled ($state)" ;;
	*,disabled)		result 0 "$daemon.service is not enabled" ;;
	*)			result 1 "$daemon.service is not enabled ($state)" ;;
	esac
	# shellcheck disable=SC2016 # for the inner shell
	try "bash completes $daemon" inside "$root" bash -c '
		. /usr/share/bash-completion/bash_completion
		_completion_loader "$0"
		complete -p "$0"' "$daemon"
}

install_suite()
{
	local list name

	needs_debs
	fresh run
	list=$(all_debs)
	# shellcheck disable=SC2086 # a list of words
	try "the packages are installed" apt_inside "$root" install $list lua5.4 gcc libc6-dev \
		pkg-config systemd man-db bash-completion || return 0
	try "mtdcomprctl --version" inside "$root" mtdcomprctl --version
	try "systemd finds mtdcompr-generator" \
		inside "$root" test -x /lib/systemd/system-generators/mtdcompr-generator
	for name in $daemons; do
		try_daemon "$name"
	done
	for name in rectify-x11 rectify-wayland; do
		try "$name --version" inside "$root" "$name" --version
	done
	try "Lua 5.4 loads marvin" inside "$root" lua5.4 -e 'assert(require "marvin")'
	try "a program is compiled and linked with libmarvin" c_program
	# If the loader does not find the library it prints a message but does not fail.
	# shellcheck disable=SC2016 # for the inner shell
	try "a program without libmarvin runs with its malloc()" inside "$root" sh -c \
		'test -z "$(MARVIN_STORE=/var/tmp/ LD_PRELOAD=libmarvin-malloc.so perl -e \
			"my @a = (1) x 100000" 2>&1)"'
	try "the group of /dev/userfaultfd is there" inside "$root" sh -c \
		'getent group marvin && grep -q GROUP=.marvin. /lib/udev/rules.d/60-marvin.rules'
	# shellcheck disable=SC2046 # a list of words
	try "they are removed, with their configuration" apt_inside "$root" purge \
		$(for name in $list; do basename "$name" | sed 's/_.*//'; done)
	list=$(cd "$root" && find etc usr lib/systemd/system lib/udev -path usr/share/doc -prune -o \
		\( -name '*latd*' -o -name '*proswap*' -o -name 'rectify*' -o -name '*marvin*' \
		-o -name '*mtdcompr*' \) -print)
	echo "$list" | sed '/./!d; s/^/# /'
	result "$(echo "$list" | grep -c .)" "and nothing of them is left"
	rm -rf "$root"
}

# modules: print the kernels that have the module, one per line
modules()
{
	( cd "$root/lib/modules" && find . -name 'mtdcompr.ko*' | cut -d / -f 2 | sort -V )
}

install_dkms()
{
	apt_inside "${!#}" install dkms "linux-headers-$kernel_one" make
}

provide_dkms()
{
	provide dkms "$kernel_one $kernel_two" install_dkms || {
		result 1 "dkms and the headers of $kernel_one can be installed"
		return 1
	}
}

dkms_suite()
{
	local one=$kernel_one two=$kernel_two cloud=${kernel_two%-amd64}-cloud-amd64

	needs_debs
	provide_dkms || return 0
	fresh dkms-run "$root"
	rm -rf "$root/debs"
	cp -r "$debs" "$root/debs"
	try "mtdcompr-dkms is installed" apt_inside "$root" install \
		"/debs/$(cd "$debs" && ls mtdcompr-dkms_*.deb)" || dkms_log
	result "$([ "$(modules)" = "$one" ]; echo $?)" "the module is there for $one"
	try "$two comes" apt_inside "$root" install "linux-headers-$two" || dkms_log
	result "$([ "$(modules | wc -l)" = 2 ]; echo $?)" "the module is there for both"
	inside "$root" dkms status | sed 's/^/# /'
	try "$cloud, which has no MTD, comes" apt_inside "$root" install "linux-headers-$cloud"
	result "$([ "$(modules | wc -l)" = 2 ]; echo $?)" "it gets no module"
	export_tree "$root/mtdcompr"
	expect "make dkms-install beside the package is refused" 2 \
		inside "$root" make -C /mtdcompr dkms-install KREL="$one"
	result "$([ "$(modules | wc -l)" = 2 ]; echo $?)" "and changes nothing"
	for name in $(modules); do
		try "and is one of $name" modinfo_is "$name"
	done
	rm -rf "$out/modules"
	mkdir -p "$out/modules"
	for name in $(modules); do
		mkdir -p "$out/modules/$name"
		find "$root/lib/modules/$name" -name 'mtdcompr.ko*' -exec cp {} "$out/modules/$name/" \;
	done
	echo "$tree" > "$out/modules/.tree"
	try "the package is removed" apt_inside "$root" purge mtdcompr-dkms
	result "$(modules | wc -l)" "and the modules with it"
	result "$(find "$root/usr/src" -maxdepth 1 -name 'mtdcompr*' | wc -l)" "and the source"
	rm -rf "$root"
}

modinfo_is()
{
	local file

	file=$(find "$root/lib/modules/$1" -name 'mtdcompr.ko*')
	[ "$(PATH=$PATH:/sbin:/usr/sbin modinfo -F vermagic "$file" | cut -d ' ' -f 1)" = "$1" ]
}

dkms_log()
{
	find "$root/var/lib/dkms" -name make.log -exec tail -n 15 {} + | sed 's/^/# /'
}

load_suite()
{
	local krel module

	[ "$(cat "$out/modules/.tree" 2>/dev/null)" = "$tree" ] || dkms_suite
	MTDC_KERNEL=$("$top/qemu/kernel.sh") || die "there is no kernel for guests"
	export MTDC_KERNEL
	krel=$(kernel KREL)
	module=$out/modules/$krel/mtdcompr.ko
	[ -e "$module" ] || {
		result 0 "the module of the package is loaded # SKIP none for the guest's $krel"
		return
	}
	try "the module of the package is loaded, swapped to and unloaded" \
		"$top/qemu/guest.sh" --mem 192 --reserve 32 --timeout 120 --log "$out/guest.log" \
		--quiet "$top/tools/package/load-guest.sh" "$module"
}

make_suite()
{
	local one=$kernel_one

	provide_dkms || return 0
	fresh dkms-make "$root"
	export_tree "$root/mtdcompr"
	expect "make dkms-install without headers is refused" 2 \
		inside "$root" make -C /mtdcompr dkms-install KREL=1.2.3
	result "$(find "$root/usr/src" -maxdepth 1 -name 'mtdcompr*' | wc -l)" "and changes nothing"
	try "make dkms-install" inside "$root" make -C /mtdcompr dkms-install KREL="$one" || dkms_log
	result "$([ "$(modules)" = "$one" ]; echo $?)" "the module is there for $one"
	try "make dkms-install, once more" inside "$root" make -C /mtdcompr dkms-install KREL="$one"
	try "make dkms-remove" inside "$root" make -C /mtdcompr dkms-remove
	result "$(modules | wc -l)" "the module is gone"
	result "$(find "$root/usr/src" "$root/var/lib/dkms" -maxdepth 1 -name 'mtdcompr*' | wc -l)" \
		"and so is its source"
	try "make dkms-remove, where there is nothing" inside "$root" make -C /mtdcompr dkms-remove
	rm -rf "$root"
}

recipes_suite()
{
	local status=0

	"$top/tools/package/recipes.sh" "$out" > "$out/recipes.tap" 2>&1 || status=$?
	pass_on $status "$out/recipes.tap" "recipes: "
}

for name in $wanted; do
	echo "# $name"
	case $name in
	build|lint)	"$name" || : ;;
	*)		"${name}_suite" || : ;;
	esac
done
end_results
