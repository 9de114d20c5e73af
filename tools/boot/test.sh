#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [--update] [SUITE...]: test the start at boot without a guest, as one TAP stream with the
# plan at its end; exit status 0 only if nothing failed.
#
# A suite: unit (with ASan and UBSan), fuzz (each input of the corpus once), trees (the generator on
# trees of files), verify (its services, by systemd-analyze), init and procd (the scripts, with
# a mtdcomprctl that records its arguments; run by dash, because BusyBox' shell would call its own
# modprobe), examples, man, install.
#
# board-test.sh and systemd-test.sh boot guests with the real programs.
#
# --update           make the present output the expected one: review the difference
# MTDC_JOBS          parallel compiler runs (2)
# CC                 the compiler (gcc)
#
# job: test,long boot
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
# shellcheck source-path=SCRIPTDIR source=../../selftests/tap.sh
. "$top/selftests/tap.sh"
out=${O:-$top/build/boot-test}
suites="unit fuzz trees verify init procd examples man install"
: "${CC:=gcc}" "${MTDC_JOBS:=2}"
export CC
for_sanitizers
export LC_ALL=C
unset O SYSTEMD_VIRTUALIZATION
update=
if [ "${1:-}" = --update ]; then
	update=1
	shift
fi

wanted=${*:-$suites}
known "$wanted" "$suites"
mkdir -p "$out"
generator=$out/sanitized/mtdcompr-generator
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"

build_generator()
{
	make -s -C "$here" -j "$MTDC_JOBS" WERROR=1 O="$out/sanitized" CC="$CC" \
		CFLAGS="-g -O1 $sanitizers" LDFLAGS="$sanitizers"
}

# unpack TREE DIR: copy a tree of test/trees, which begins each path with the tree's name
unpack()
{
	rm -rf "$2"
	cp -r "$out/trees/$1" "$2"
}

# generate TREE: run the generator, set status. Units go to $out/TREE.units, messages to TREE.err
generate()
{
	local units=$out/$1.units

	rm -rf "$units"
	mkdir -p "$units"
	status=0
	MTDCOMPR_GENERATOR_ROOT=$out/$1.root timeout 20 "$generator" "$units" "$units" "$units" \
		> "$out/$1.out" 2> "$out/$1.err" || status=$?
}

# shown TREE: print units and messages as one text
shown()
{
	local units=$out/$1.units file

	cat "$out/$1.out" "$out/$1.err"
	( cd "$units" && find . ! -type d | LC_ALL=C sort ) | while read -r file; do
		if [ -L "$units/$file" ]; then
			echo "==== $file -> $(readlink "$units/$file")"
		else
			echo "==== $file"
			cat "$units/$file"
		fi
	done
}

run_trees()
{
	local tree name conf

	unpack_tree "$here/test/expected" "$out/expected"
	for tree in "$out"/trees/*; do
		name=${tree##*/}
		unpack "$name" "$out/$name.root"
		generate "$name"
		shown "$name" > "$out/$name.got"
		[ -z "$update" ] || cp "$out/$name.got" "$out/expected/$name"
		details=$out/$name.diff
		[ "$status" = 0 ] &&
			diff -u "$out/expected/$name" "$out/$name.got" > "$details" 2>&1
		result $? "trees: $name: what it makes, and what it says"
	done
	[ -z "$update" ] || pack_tree "$out/expected" "$here/test/expected"
	details=
	# A link to /dev/null hides a drop-in.
	ln -sf /dev/null "$out/dropins.root/run/systemd/mtdcompr-generator.conf.d/20-vendor.conf"
	generate dropins
	grep -q 'size 10485760 .*"early"' "$out"/dropins.units/*0.service
	result $? "trees: a link to /dev/null hides a drop-in"
	conf=$out/dropins.root/etc/systemd/mtdcompr-generator.conf
	head -c 70000 /dev/zero | tr '\0' '#' > "$conf"
	printf 'a\0b' > "$conf.d/30-same.conf"
	mkdir -p "$conf.d/40-directory.conf"
	generate dropins
	[ "$status $(wc -l < "$out/dropins.err")" = "0 3" ] &&
		grep -q '"early"' "$out"/dropins.units/*0.service
	result $? "trees: files that are too large, or no text: a line each"
	unpack on "$out/on.root"
	mkdir -p "$out/on.root/etc/systemd"
	printf 'media = ext\n\0' > "$out/on.root/etc/systemd/mtdcompr-generator.conf"
	generate on
	[ -z "$(ls "$out/on.units")" ] && grep -q 'is not set up: name the media' "$out/on.err"
	result $? "trees: no media are chosen where a file that is left out may name some"
	MTDCOMPR_GENERATOR_ROOT=$out/plain.root "$generator" "$out/no/such" > "$out/err" 2>&1
	[ $? = 1 ] && [ "$(wc -l < "$out/err")" = 2 ] && grep -q 'No such file' "$out/err"
	result $? "trees: no directory to write to: a line for each service"
	"$generator" > "$out/err" 2>&1
	[ $? = 2 ] && grep -q '^usage: ' "$out/err"
	result $? "trees: a wrong command line"
}

# systemd-analyze checks that the named files exist, so put files of this machine in their place.
run_verify()
{
	local name unit

	if ! command -v systemd-analyze > /dev/null; then
		result 0 "verify: # SKIP no systemd-analyze"
		return 0
	fi
	for name in plain dropins on; do
		unpack "$name" "$out/$name.root"
		generate "$name"
		for unit in "$out/$name.units"/*.service; do
			sed -i -e 's|/usr/local/sbin/mtdcomprctl|/bin/true|' \
				-e 's|^SourcePath=.*|SourcePath=/etc/passwd|' "$unit"
			details=$out/verify.log
			SYSTEMD_LOG_LEVEL=warning timeout 60 systemd-analyze verify --man=no \
				"$unit" > "$details" 2>&1 && ! grep -q "${unit##*/}" "$details"
			result $? "verify: $name: ${unit##*/}"
		done
	done
	details=
}

# stand_in DIR: make a mtdcomprctl that records its arguments in DIR/calls and reports swap after
# "swap on". If the file DIR/fails exists, "swap on" prints its text and fails.
stand_in()
{
	rm -rf "$1"
	mkdir -p "$1/bin"
	cat > "$1/bin/mtdcomprctl" <<-END
		#!/bin/sh
		echo "\$*" >> "$1/calls"
		case "\$1 \$2" in
		"swap on")
			[ ! -e "$1/fails" ] || { cat "$1/fails" >&2; exit 1; }
			[ ! -e "$1/warns" ] || cat "$1/warns" >&2
			echo "/dev/mtdcompr0"
			touch "$1/swap" ;;
		"swap off")
			[ ! -e "$1/stuck" ] || { cat "$1/stuck" >&2; exit 1; }
			rm -f "$1/swap" ;;
		list*)
			[ -e "$1/swap" ] || exit 1
			echo "[SWAP]" ;;
		esac
	END
	printf '#!/bin/sh\necho "modprobe $*" >> "%s/calls"\n' "$1" > "$1/bin/modprobe"
	printf '#!/bin/sh\nshift 5\necho "$*" >> "%s/log"\n' "$1" > "$1/bin/logger"
	cat > "$1/bin/uci" <<-'END'
		#!/bin/sh
		[ "$1 $2" = "-q show" ] || exit 1
		echo "$3=swap"
		sed -n "s/^\(${3#*.}\.[^=]*\)=\(.*\)/${3%%.*}.\1='\2'/p" "$UCI"
	END
	chmod +x "$1"/bin/*
	: > "$1/kmsg"
	: > "$1/log"
	echo "MemTotal:        1024000 kB" > "$1/meminfo"
}

# init_case WHAT ACTION STATUS CALL SETTING...: run the script with these settings; check its status
# and its call of "swap on" or "swap off". Unless the status is 0 it has to print a line.
init_case()
{
	local what=$1 action=$2 want=$3 call=$4 got=0 lines

	shift 4
	: > "$work/calls"
	: > "$work/kmsg"
	printf '%s\n' "$@" > "$work/default"
	sed "s|^PATH=.*|PATH=$work/bin:\$PATH|" "$here/mtdcompr.init" > "$work/script"
	DEFAULTS=$work/default MEMINFO=$work/meminfo KMSG=$work/kmsg \
		dash "$work/script" "$action" > "$work/out" 2> "$work/err" || got=$?
	lines=$(wc -l < "$work/kmsg")
	details=$work/details
	{
		echo "status $got, $lines lines"
		cat "$work/calls" "$work/err"
	} > "$details"
	# The shell itself says what it could not run of the settings.
	[ "$got $lines" = "${want% *} ${want#* }" ] &&
		[ "$(grep -vc "^$work/script: .*: not found\$" "$work/err")" = "$lines" ] &&
		[ "$(grep '^swap' "$work/calls" | head -n 1)" = "$call" ]
	result $? "init: $what"
	details=
}

# init_options: the shell goes on after these lines, and would set the swap up without the options
init_options()
{
	local bad

	for bad in "OPTIONS = crypt=on" "OPTIONS=crypt = on" "OPTIONS=wipe=1 crypt=on" \
		"OPTION=crytp=on" "OPTOINS='crypt=on'" "options=crypt=on" "crypt=on" "wipe = 1" \
		"OPTIONS='store=log' crypt=on" "OPTIONS crypt=on"; do
		init_case "no swap after $bad" start "1 1" "" MEDIA=ext "$bad"
		grep -qF "no swap: $work/default:2:$bad: write the options as OPTIONS=" "$work/kmsg"
		result $? "init: $bad: file, line and advice"
		rm -f "$work/swap"
	done
	init_case "options of which others are a part" start "0 0" \
		"swap on --name mtdcompr0 --priority 100 --options store=log,crypt=on -- crypt" \
		"# OPTION=crypt = on" MODULES=cryptodev MEDIA=crypt "OPTIONS=store=log" \
		'true && OPTIONS="store=log,crypt=on" # crypt=off'
	grep -qx 'modprobe cryptodev' "$work/calls"
	result $? "init: a module with such a name"
}

run_init()
{
	local work=$out/init all

	stand_in "$work"
	init_case "the defaults" start "0 0" "swap on --name mtdcompr0 --priority 100 --find"
	init_case "start once more" start "0 0" ""
	init_case "stop" stop "0 0" "swap off mtdcompr0"
	init_case "stop once more" stop "0 0" ""
	init_case "status" status "3 0" ""
	all="--algorithm zstd --size 65536K --options store=log"
	init_case "all settings" start "0 0" \
		"swap on --name mtdcompr0 --priority 5 $all -- my media" \
		"MEDIA='my media'" ALGO=zstd SIZE=64 PRIORITY=5 OPTIONS=store=log MODULES=phram
	grep -qx 'modprobe phram' "$work/calls"
	result $? "init: the modules come first"
	init_case "stop" stop "0 0" "swap off mtdcompr0"
	init_case "PERCENT comes before SIZE" start "0 0" \
		"swap on --name mtdcompr0 --priority 100 --size 512000K -- ext" \
		MEDIA=ext PERCENT=50 SIZE=64
	rm -f "$work/swap"
	init_case "what is empty has its default" start "0 0" \
		"swap on --name mtdcompr0 --priority 100 --find" \
		MODULES= MEDIA= ALGO= PERCENT= SIZE= PRIORITY= OPTIONS=
	rm -f "$work/swap"
	init_case "a SIZE that is none: one line, and swap" start "0 1" \
		"swap on --name mtdcompr0 --priority 100 -- ext" MEDIA=ext SIZE=64M
	rm -f "$work/swap"
	init_case "a PERCENT that is none: one line, and swap" start "0 1" \
		"swap on --name mtdcompr0 --priority 100 -- ext" MEDIA=ext PERCENT=half
	rm -f "$work/swap"
	init_case "a PERCENT that the shell takes as octal: one line, and swap" start "0 1" \
		"swap on --name mtdcompr0 --priority 100 -- ext" MEDIA=ext PERCENT=090
	printf 'mtdcomprctl: warning: odd\nmtdcomprctl: cannot take it back\n' > "$work/stuck"
	init_case "a swap that stays: one line" stop "1 1" "swap off mtdcompr0"
	grep -q 'the swap stays: mtdcomprctl: cannot take' "$work/kmsg"
	result $? "init: a swap that stays: the reason, not the warning"
	rm -f "$work/swap" "$work/stuck"
	init_options
	rm -f "$work/swap"
	printf 'mtdcomprctl: warning: the module was built without zstd\n' > "$work/warns"
	init_case "another compressor: one line" start "0 1" \
		"swap on --name mtdcompr0 --priority 100 --algorithm zstd -- ext" \
		MEDIA=ext ALGO=zstd
	rm -f "$work/swap"
	echo 'mtdcomprctl: warning: ext: pages are not encrypted' >> "$work/warns"
	init_case "two warnings: a line each" start "0 2" \
		"swap on --name mtdcompr0 --priority 100 --algorithm zstd -- ext" \
		MEDIA=ext ALGO=zstd
	rm -f "$work/swap"
	cat > "$work/fails" <<-'END'
		mtdcomprctl: warning: there is no lz4hc here: lz4 is used instead
		mtdcomprctl: x: attach failed
		Try 'mtdcomprctl --help' for more information.
	END
	init_case "media that are missing: one line" start "1 1" \
		"swap on --name mtdcompr0 --priority 100 -- x" MEDIA=x
	grep -q 'no swap: mtdcomprctl: x: attach failed' "$work/kmsg"
	result $? "init: media that are missing: the reason, not the warning or the hint"
	dash "$work/script" go > "$work/out" 2>&1
	[ $? = 2 ] && grep -q '^usage: ' "$work/out"
	result $? "init: a wrong action"
	rm -f "$work/bin/mtdcomprctl"
	init_case "no mtdcomprctl: one line" start "5 1" "" MEDIA=x
}

# Debian lacks OpenWrt's rc.common and UCI functions. These stand in for the few that the script
# uses and read a file of lines "SECTION.OPTION=VALUE".
uci_functions()
{
	cat <<-'END'
		config_load() { :; }
		config_foreach() {
			for uci_section in $(sed -n 's/^\([^.]*\)\..*/\1/p' "$UCI" | sort -u); do
				"$1" "$uci_section"
			done
		}
		config_get() {
			uci_value=$(sed -n "s/^$2\.$3=//p" "$UCI")
			eval "$1=\${uci_value:-${4:-}}"
		}
		config_get_bool() { config_get "$@"; }
	END
}

# procd_case WHAT ACTION CALLS LOG SETTING...
procd_case()
{
	local what=$1 action=$2 calls=$3 lines=$4

	shift 4
	: > "$work/calls"
	: > "$work/log"
	printf '%s\n' "$@" > "$work/uci"
	{
		uci_functions
		cat "$here/mtdcompr.procd"
		echo "$action"
	} > "$work/script"
	details=$work/details
	UCI=$work/uci PATH=$work/bin:$PATH dash "$work/script" > "$work/out" 2>&1 &&
		[ "$(grep '^swap' "$work/calls" | tr '\n' ';')" = "$calls" ] &&
		[ "$(wc -l < "$work/log")" = "$lines" ]
	set -- $?
	cat "$work/calls" "$work/log" "$work/out" > "$details"
	result "$1" "procd: $what"
	details=
}

run_procd()
{
	local work=$out/procd b

	stand_in "$work"
	b="swap on --name b --priority 5 --algorithm zstd --size 64M --options store=log --find"
	procd_case "two devices" start "swap on --name a --priority 100 -- ext;$b;" 0 \
		a.media=ext b.priority=5 b.algorithm=zstd b.size_mb=64 b.ratio=200 \
		b.options=store=log
	procd_case "stop" stop "swap off a;" 0 a.media=ext
	procd_case "one that is not enabled; a ratio" start \
		"swap on --name b --priority 100 --ratio 250 --find;" 0 a.enabled=0 b.ratio=250
	procd_case "no swap with a key that is none of ours; the other device" start \
		"swap on --name b --priority 100 --options wipe=1,crypt=on --find;" 1 \
		a.media=ext a.crypt=on b.options=wipe=1,crypt=on
	grep -q "a: no swap: /etc/config/mtdcompr: mtdcompr.a.crypt='on': write options as option" \
		"$work/log"
	result $? "procd: a key that is none of ours: file, line and advice"
	procd_case "no swap with mistyped options" start "" 3 \
		a.option=crytp=on b.optoins=crypt=on c.Wipe=1
	procd_case "a section and media with such a name" start \
		"swap on --name crypt --priority 100 -- wipe;" 0 crypt.media=wipe
	printf 'mtdcomprctl: warning: odd\nmtdcomprctl: warning: even\n' > "$work/warns"
	procd_case "two warnings: a line each" start \
		"swap on --name a --priority 100 -- ext;" 2 a.media=ext
	rm -f "$work/warns"
	printf 'mtdcomprctl: warning: odd\nmtdcomprctl: x: attach failed\nTry --help\n' \
		> "$work/fails"
	procd_case "media that are missing: one line, and no failure" start \
		"swap on --name a --priority 100 -- x;" 1 a.media=x
	grep -q 'a: no swap: mtdcomprctl: x: attach failed' "$work/log"
	result $? "procd: media that are missing: the reason, not the warning or the hint"
}

run_examples()
{
	local file busybox

	details=$out/examples.log
	busybox=$("$top/qemu/machine/busybox.sh" amd64 2> "$details") || {
		result 1 "examples: there is a busybox"
		busybox=
	}
	for file in "$here"/mtdcompr.init "$here"/mtdcompr.procd "$here"/examples/*.sh; do
		if [ -n "$busybox" ]; then
			"$busybox" ash -n "$file" > "$details" 2>&1
			result $? "examples: ${file##*/}: BusyBox takes it"
		fi
		if command -v shellcheck > /dev/null; then
			shellcheck "$file" > "$details" 2>&1
			result $? "examples: ${file##*/}: shellcheck takes it"
		fi
	done
	for file in "$here"/examples/* "$here"/mtdcompr.{init,procd,default,uci} "$here"/*.conf; do
		head -n 14 "$file" | grep -qiE 'where it goes|/etc/' || echo "${file##*/}"
	done > "$details"
	[ ! -s "$details" ]
	result $? "examples: each says where it goes"
	if command -v dtc > /dev/null; then
		for file in "$here"/examples/*.dtsi; do
			{
				echo "/dts-v1/;"
				echo "/ { #address-cells = <1>; #size-cells = <1>;"
				echo "	flash: flash { }; };"
				cat "$file"
			} | dtc -q -I dts -O dtb -o /dev/null > "$details" 2>&1
			result $? "examples: ${file##*/}: dtc takes it"
		done
	else
		result 0 "examples: device trees # SKIP no dtc"
	fi
	# Let modprobe read its example; the modules have to know the parameters.
	PATH=$PATH:/sbin:/usr/sbin modprobe -C "$here/examples/modprobe.d-mtdcompr.conf" -c \
		> "$details" 2>&1 && grep -q '^options phram phram=ext,0x78000000,64Mi' "$details"
	result $? "examples: modprobe takes its file"
	grep -q 'module_param_cb(mtd,' "$top/drivers/mtd/mtdcompr/main.c"
	result $? "examples: the module has the parameter of the command line"
	# The commented-out settings have to be valid, too.
	mkdir -p "$out/example.root/etc/systemd" "$out/example.root/proc"
	echo "MemTotal:        1024000 kB" > "$out/example.root/proc/meminfo"
	sed 's/^#\([a-z-]* =\)/\1/' "$here/mtdcompr-generator.conf" \
		> "$out/example.root/etc/systemd/mtdcompr-generator.conf"
	generate example
	[ "$status" = 0 ] && [ ! -s "$out/example.err" ] && grep -q 'size 524288000 .*"swap"' \
		"$out"/example.units/*0.service
	result $? "examples: each key of the generator's configuration is taken"
	details=
}

run_man()
{
	man_page "$here/mtdcompr-generator.8"
	details=$out/man.log
	# Each key is in the man page, the example, and the documentation.
	sed -n 's/^\t{ "\([a-z-]*\)", set_.*/\1/p' "$here/key.c" | while read -r key; do
		sed 's/\\-/-/g' "$here/mtdcompr-generator.8" | grep -q "^\.B $key=" ||
			echo "$key is not in the man page"
		grep -q "^#$key =" "$here/mtdcompr-generator.conf" ||
			echo "$key is not in the example"
		grep -q "^$key " "$top/Documentation/guides/boot.rst" ||
			echo "$key is not in boot.rst"
	done > "$details"
	[ ! -s "$details" ]
	result $? "man: each key is in the man page, the example and boot.rst"
	details=
}

run_install()
{
	local program=$out/installed/usr/lib/systemd/system-generators/mtdcompr-generator

	details=$out/install.log
	rm -rf "$out/installed"
	make -s -C "$here" O="$out/other" CC="$CC" DESTDIR="$out/installed" PREFIX=/usr install \
		> "$details" 2>&1 && [ -x "$program" ]
	result $? "install: it is installed where DESTDIR and PREFIX say"
	unpack plain "$out/plain.root"
	rm -rf "$out/plain.units"
	mkdir -p "$out/plain.units"
	MTDCOMPR_GENERATOR_ROOT=$out/plain.root "$program" "$out/plain.units"
	grep -q '^ExecStart=/usr/sbin/mtdcomprctl ' "$out"/plain.units/*0.service
	result $? "install: the services call mtdcomprctl where it is then"
	details=
}

run_unit()
{
	local suite status

	for suite in expr config unit; do
		status=0
		timeout 120 "$out/unit/test_$suite" > "$out/$suite.tap" 2> "$out/$suite.err" ||
			status=$?
		pass_on $status "$out/$suite.tap" ""
	done
}

run_fuzz()
{
	local list status=0

	"$top/selftests/fuzz/inputs.sh" unpack "$here/fuzz/corpus/boot.tar" "$out/inputs"
	mapfile -t list < <(find "$out/inputs" -type f | LC_ALL=C sort)
	details=$out/fuzz.log
	timeout 120 "$out/unit/fuzz_boot" "${list[@]}" > "$details" 2>&1 || status=$?
	[ "$(tail -n 1 "$details")" = ${#list[@]} ] || status=1
	result $status "fuzz: boot: ${#list[@]} inputs"
	details=
}

unpack_tree "$here/test/trees" "$out/trees"
good=yes
compiled generator build_generator || good=
compiled unit make -s -f "$here/test/Makefile" -j "$MTDC_JOBS" O="$out/unit" CC="$CC" tests || good=
[ -n "$good" ] || { end_results; exit; }
set +e
for suite in $wanted; do
	"run_$suite"
done
end_results
