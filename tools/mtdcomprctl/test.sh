#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test.sh [--update] [SUITE...]: test mtdcomprctl without a guest, as one TAP stream with the plan
# at its end; exit status 0 only if nothing failed.
#
# A suite: unit (with ASan and UBSan), trees (on files recorded in guests, see
# test/record.sh), json, metrics (by Prometheus' parser), write (attach and detach below a prefix),
# terminal (top), completion (bash, and zsh if installed), man, size (static, for ARM).
#
# --update           make the present output the expected one: review the difference
# MTDC_JOBS          parallel compiler runs (2)
# CC                 the compiler (gcc)
#
# job: test,long mtdcomprctl
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
# shellcheck source-path=SCRIPTDIR source=../../selftests/tap.sh
. "$top/selftests/tap.sh"
out=${O:-$top/build/mtdcomprctl-test}
suites="unit trees json metrics write terminal completion man size"
: "${CC:=gcc}" "${MTDC_JOBS:=2}"
export CC
for_sanitizers
export LC_ALL=C
update=
if [ "${1:-}" = --update ]; then
	update=1
	shift
fi

wanted=${*:-$suites}
known "$wanted" "$suites"
mkdir -p "$out"
ctl=$out/mtdcomprctl
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
# Debian's python3-* packages are for this interpreter.
python=/usr/bin/python3
[ -x $python ] || python=python3

build_ctl()
{
	make -s -C "$here" -j "$MTDC_JOBS" WERROR=1 O="$out" CC="$CC" \
		CFLAGS="-g -O1 $sanitizers" LDFLAGS="$sanitizers"
}

# unpack TREE DIR: unpack a recorded tree
unpack()
{
	unpack_tree "$here/test/trees/$1.tree" "$2"
	mkdir -p "$2/run" "$2/dev"
}

# equal NAME GOT: compare the file GOT with the expected one
equal()
{
	[ -z "$update" ] || cp "$2" "$out/expected/$1"
	if diff -u "$out/expected/$1" "$2" > "$out/$1.diff" 2>&1; then
		return 0
	fi
	details=$out/$1.diff
	return 1
}

# run_case NAME TREE STATUS ARGUMENT...
run_case()
{
	local name=$1 tree=$2 want=$3 status=0 got=$out/$1.got bad=0

	shift 3
	timeout 20 "$ctl" --sysroot "$out/$tree" "$@" > "$got" 2> "$got.err" < /dev/null || status=$?
	# The path differs between machines.
	sed "s|^$ctl:|mtdcomprctl:|" "$got.err" >> "$got"
	[ "$status" = "$want" ] || bad=1
	# A failure prints one message and no output, except a note of the steps already done.
	if [ "$want" != 0 ]; then
		[ "$(grep -vc '^Try ' "$got.err")" -ge 1 ] || bad=1
	fi
	equal "$name" "$got" || bad=1
	result $bad "trees: $name: status $want, and what it prints"
	details=
}

# same_less SCRIPT ARGUMENT...: an older module has the same without what the sed script deletes
same_less()
{
	local script=$1

	shift
	details=$out/old.diff
	diff <("$ctl" --sysroot "$out/ram" "$@" | sed "$script") <("$ctl" --sysroot "$out/old" "$@") \
		> "$details" 2>&1
	result $? "trees: a module without encryption, $*"
	details=
}

run_trees()
{
	local line words tree

	for tree in "$here"/test/trees/*.tree; do
		unpack "$(basename "$tree" .tree)" "$out/$(basename "$tree" .tree)"
	done
	# As of a module from before the encryption.
	unpack ram "$out/old"
	sed -i -e '/^crypt: /d' -e '/^wipe: /d' "$out"/old/proc/mtdcompr/*
	# Free flash alone
	unpack none "$out/nand"
	for tree in "$out"/nand/sys/class/mtd/mtd*; do
		echo nand > "$tree/type"
		echo 0x400 > "$tree/flags"
		echo swap > "$tree/name"
	done
	while read -r line; do
		case $line in
		'#'*|'')	continue ;;
		esac
		eval "words=($line)"
		run_case "${words[@]}"
	done < "$here/test/cases"
	same_less '/^  \(encrypted\|wiped\) /d' stats
	same_less 's/,crypt="[^"]*",wipe="[^"]*"//' stats --openmetrics
	same_less '/^ *"\(crypt\|wipe\)": /d' stats -J
	[ -z "$update" ] || pack_tree "$out/expected" "$here/test/expected"
	for tree in "$here"/test/trees/*.tree; do
		tree=$(basename "$tree" .tree)
		unpack "$tree" "$out/again"
		diff -r "$out/$tree" "$out/again" > "$out/changed" 2>&1
		result $? "trees: nothing of $tree was changed"
	done
}

# with_python NAME FILE SCRIPT: the script checks the file on its standard input
with_python()
{
	local status=0

	details=$out/python.log
	$python -c "$3" < "$2" > "$details" 2>&1 || status=1
	result $status "$1"
	details=
}

run_json()
{
	local name

	for name in list-json list-json-bytes list-json-none stats-json top-json suggest-json; do
		with_python "json: $name is JSON" "$out/expected/$name" '
import json, sys
text = sys.stdin.read()
json.JSONDecoder().raw_decode(text)
'
	done
	with_python "json: sizes are numbers with -b" "$out/expected/list-json-bytes" '
import json, sys
rows = json.load(sys.stdin)["mtdcomprdevices"]
assert len(rows) == 2
for row in rows:
    for key in "disksize", "data", "compr", "total", "free", "incompr", "lost", "wear":
        assert isinstance(row[key], (int, float)), key
assert rows[1]["mountpoint"] is None and rows[0]["store"] == "log"
assert [row["crypt"] for row in rows] == ["chacha20poly1305", "none"] and rows[0]["wipe"] == 0
'
}

run_metrics()
{
	local name parser

	if ! $python -c 'import prometheus_client' 2>/dev/null; then
		result 0 "metrics: # SKIP no python3-prometheus-client"
		return 0
	fi
	# The output is OpenMetrics, which node_exporter's textfile collector takes, too.
	for name in ram flash none; do
		for parser in prometheus_client.openmetrics.parser prometheus_client.parser; do
			with_python "metrics: $name, by $parser" "$out/expected/metrics-$name" "
import sys
from $parser import text_string_to_metric_families as parse
families = list(parse(sys.stdin.read()))
samples = [sample for family in families for sample in family.samples]
assert '$name' == 'none' or len(samples) > 60, len(samples)
if 'openmetrics' in '$parser':
    names = [family.name for family in families]
    assert len(names) == len(set(names)), 'a family twice'
    for family in families:
        assert family.documentation, family.name
"
		done
	done
	with_python "metrics: figures and labels" "$out/expected/metrics-flash" '
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
value = {}
for family in parse(sys.stdin.read()):
    for sample in family.samples:
        key = (sample.name, tuple(sorted(sample.labels.items())))
        assert key not in value, key
        value[key] = sample.value
def get(name, **labels):
    return value[(name, tuple(sorted(labels.items())))]
assert get("mtdcompr_pages", device="mtdcompr0", kind="compressed") == 512
assert get("mtdcompr_block_erases_total", device="mtdcompr0") == 9
assert get("mtdcompr_state", device="mtdcompr1", state="ok") == 1
assert get("mtdcompr_state", device="mtdcompr1", state="full") == 0
assert abs(get("mtdcompr_write_mean_seconds", device="mtdcompr0") - 346828e-9) < 1e-12
'
	with_python "metrics: the dashboard asks for metrics that there are" \
		"$here/examples/grafana-dashboard.json" "
import json, re, sys
there = set(re.findall(r'^(mtdcompr_[a-z_]+)', open('$out/expected/metrics-ram').read() +
                       open('$out/expected/metrics-flash').read(), re.M))
board = json.load(sys.stdin)
asked = set(re.findall(r'mtdcompr_[a-z_]+', json.dumps(board['panels'])))
assert asked and asked <= there, asked - there
ids = [panel['id'] for panel in board['panels']]
assert len(ids) == len(set(ids))
"
	textfile
}

# textfile: textfile.sh converts OpenMetrics and keeps backslashes
textfile()
{
	local dir=$out/textfile

	details=$out/textfile.log
	rm -rf "$dir"
	mkdir -p "$dir/bin" "$dir/prom"
	chmod 755 "$dir/prom"
	cat > "$dir/stats" <<-'END'
		# TYPE a counter
		# UNIT a bytes
		# HELP a Of \\n.
		a_total{mtd="x\\ny\"z"} 1
		# TYPE b gauge
		b 2
		# EOF
	END
	printf '#!/bin/sh\ncat "%s"\n' "$dir/stats" > "$dir/bin/mtdcomprctl"
	chmod 755 "$dir/bin/mtdcomprctl"
	PATH=$dir/bin:$PATH "$here/examples/textfile.sh" "$dir/prom" > "$details" 2>&1
	cat > "$dir/wanted" <<-'END'
		# TYPE a_total counter
		# HELP a_total Of \\n.
		a_total{mtd="x\\ny\"z"} 1
		# TYPE b gauge
		b 2
	END
	diff "$dir/wanted" "$dir/prom/mtdcompr.prom" > "$details"
	result $? "metrics: textfile.sh writes the older format"
	textfile_links
	textfile_modes
	details=
}

# writes_file WHAT: textfile.sh leaves only its file in $dir/prom, and does not change the target of
# another user's link
writes_file()
{
	(
		umask 077
		PATH=$dir/bin:$PATH "$here/examples/textfile.sh" "$dir/prom"
	) > "$details" 2>&1
	[ "$(stat -c '%a %F' "$dir/prom/mtdcompr.prom")" = "644 regular file" ] &&
		cmp "$dir/wanted" "$dir/prom/mtdcompr.prom" >> "$details" 2>&1 &&
		[ "$(cat "$dir/victim/file")" = precious ] &&
		[ "$(ls "$dir/victim")" = file ] &&
		[ -z "$(find "$dir/prom" -type f ! -name mtdcompr.prom)" ]
	result $? "metrics: textfile.sh: $1"
}

# textfile_links: links placed by another user for root to follow
textfile_links()
{
	mkdir "$dir/victim"
	echo precious > "$dir/victim/file"
	ln -sf "$dir/victim/file" "$dir/prom/mtdcompr.prom"
	writes_file "a link in place of the file is replaced"
	ln -sfn "$dir/victim" "$dir/prom/mtdcompr.prom"
	writes_file "so is a link to a directory"
	# Made while textfile.sh runs, because its process id is known then.
	cat > "$dir/bin/mtdcomprctl" <<-END
		#!/bin/sh
		for id in \$(seq \$((PPID - 9)) \$\$); do
			ln -s "$dir/victim/file" "$dir/prom/mtdcompr.prom.\$id"
		done
		cat "$dir/stats"
	END
	writes_file "links that have its process id are not followed"
	find "$dir/prom" -type l -exec rm {} +
}

# textfile_modes: refuse directories that other users may write to
textfile_modes()
{
	local mode got

	for mode in 777 775 757; do
		rm -f "$dir/prom/mtdcompr.prom"
		chmod "$mode" "$dir/prom"
		got=0
		PATH=$dir/bin:$PATH "$here/examples/textfile.sh" "$dir/prom" > "$details" 2>&1 || got=$?
		[ "$got $(wc -l < "$details")" = "1 1" ] && [ ! -e "$dir/prom/mtdcompr.prom" ] &&
			grep -q "others may replace files there" "$details"
		result $? "metrics: textfile.sh: a directory of mode $mode is refused, in one line"
	done
	printf '#!/bin/sh\ncat "%s"\n' "$dir/stats" > "$dir/bin/mtdcomprctl"
	chmod 1777 "$dir/prom"
	writes_file "with the sticky bit it is taken"
}

# attached WHAT TEXT ARGUMENT...: attach writes TEXT, on the tree of the suite
attached()
{
	local what=$1 text=$2

	shift 2
	: > "$tree/sys/devices/mtdcompr/attach"
	"$ctl" --sysroot "$tree" attach "$@" > "$details" 2>&1 || :
	[ "$(cat "$tree/sys/devices/mtdcompr/attach")" = "$text" ]
	result $? "write: $what"
}

# attach and detach write the expected text and nothing else
run_write()
{
	local tree=$out/write

	details=$out/write.log
	unpack ram "$tree"
	unpack ram "$out/ram"
	"$ctl" --sysroot "$tree" attach -a zlib -l 6 -s 16M --name swap0 -O wearlevel=4 "odd name" \
		> "$out/write.log" 2>&1 || :
	[ "$(cat "$tree/sys/devices/mtdcompr/attach")" = \
		"mtd=odd name,comp=zlib,level=6,size=16777216,name=swap0,wearlevel=4" ]
	result $? "write: the text of an attach"
	"$ctl" --sysroot "$tree" detach /dev/mtdcompr1 > "$out/write.log" 2>&1
	[ "$(cat "$tree/sys/devices/mtdcompr/detach")" = second ]
	result $? "write: the name at a detach"
	unpack none "$tree"
	mkdir -p "$tree/sys/devices/mtdcompr" && touch "$tree/sys/devices/mtdcompr/attach"
	"$ctl" --sysroot "$tree" attach --find --ratio 250 > "$out/write.log" 2>&1 || :
	[ "$(cat "$tree/sys/devices/mtdcompr/attach")" = "mtd=0,ratio=250" ]
	result $? "write: --find takes the best media, by number"
	attached "an MTD as --find prints it" "mtd=1" mtd1
	attached "an MTD that is not there stays what it is" "mtd=mtd7" mtd7
	echo mtd1 > "$tree/sys/class/mtd/mtd0/name"
	attached "a name comes before a number" "mtd=0" mtd1
	attached "a level of lz4hc is none of lz4" "mtd=low,comp=lz4" -l 9 -a lz4hc low
	grep -q 'there is no lz4hc here: lz4 is used instead, at its own level' "$details"
	result $? "write: a level that is left out is said"
	attached "lzo has no level" "mtd=low,comp=lzo" -a lzo-rle -l 1 low
	attached "a level of deflate is one of zlib" "mtd=low,comp=zlib,level=6" -a deflate -l 6 low
	rm -f "$tree/sys/devices/mtdcompr/attach"
	ln -s /dev/full "$tree/sys/devices/mtdcompr/attach"
	"$ctl" --sysroot "$tree" attach low > "$out/write.log" 2>&1
	[ $? = 1 ] && grep -q '^[^ ]*mtdcomprctl: low: attach failed: No space left' "$out/write.log"
	result $? "write: an error of the module is said"
	make -s -C "$here" O="$out" CC="$CC" DESTDIR="$out/installed" PREFIX=/opt install \
		CFLAGS="-g -O1 $sanitizers" LDFLAGS="$sanitizers" > "$out/write.log" 2>&1 &&
		[ -x "$out/installed/opt/sbin/mtdcomprctl" ] &&
		[ -x "$out/installed$(sed -n 's/^ExecStart=//p' \
			"$out"/installed/opt/share/doc/mtdcomprctl/examples/*.service)" ]
	result $? "write: it is installed where DESTDIR and PREFIX say"
	"$ctl" --sysroot "$out/ram" stats > /dev/full 2> "$out/write.log"
	[ $? = 1 ] && grep -q 'write error: No space left' "$out/write.log"
	result $? "write: a full disk is said"
	details=
}

run_terminal()
{
	details=$out/terminal.log
	unpack ram "$out/ram"
	$python "$here/test/terminal.py" "$ctl" "$out/ram" > "$details" 2>&1
	result $? "terminal: top is ended by q and SIGINT, and leaves the terminal as it was"
	details=
}

run_completion()
{
	local file=$here/mtdcomprctl.bash-completion

	details=$out/completion.log
	unpack ram "$out/ram"
	bash "$here/test/completion.sh" "$file" "$ctl" > "$details" 2>&1
	result $? "completion: bash"
	if command -v zsh > /dev/null; then
		timeout 60 zsh -f "$here/test/completion.zsh" "$here" "$ctl" "$out/ram" > "$details" 2>&1
		result $? "completion: zsh"
	else
		result 0 "completion: zsh # SKIP no zsh"
	fi
	# The man page and both completions have each long option of the help.
	"$ctl" --help | grep -o -e '--[a-z-]*' | sort -u | while read -r option; do
		for file in "$here"/{mtdcomprctl.bash-completion,_mtdcomprctl}; do
			grep -q -e "$option" "$file" || echo "$option is not in ${file##*/}"
		done
		sed 's/\\-/-/g' "$here/mtdcomprctl.8" | grep -q -e "$option" ||
			echo "$option is not in mtdcomprctl.8"
	done > "$details"
	[ ! -s "$details" ]
	result $? "completion: each option is in the completions and the man page"
	"$ctl" --list-columns | while read -r column; do
		sed 's/\\-/-/g' "$here/mtdcomprctl.8" | grep -q "^.B $column\$" ||
			echo "$column is not in mtdcomprctl.8"
	done > "$details"
	[ ! -s "$details" ]
	result $? "completion: each column is in the man page"
	details=
}

run_man()
{
	man_page "$here/mtdcomprctl.8"
}

run_size()
{
	local bytes

	details=$out/size.log
	if ! command -v arm-linux-gnueabi-gcc > /dev/null; then
		result 0 "size: # SKIP no arm-linux-gnueabi-gcc"
		return 0
	fi
	if ! "$here/static.sh" "$out/static" > "$details" 2>&1; then
		result 1 "size: it is built for ARM, static"
		return 0
	fi
	bytes=$(stat -c %s "$out/static/mtdcomprctl")
	echo "# static, stripped, for ARM: $bytes bytes"
	[ "$bytes" -le 102400 ]
	result $? "size: at most 100 KiB, static and stripped, for ARM"
	if command -v qemu-arm > /dev/null; then
		qemu-arm "$out/static/mtdcomprctl" --version > "$details" 2>&1
		result $? "size: it runs"
	fi
	details=
}

run_unit()
{
	local suite status

	compiled unit make -s -f "$here/test/Makefile" -j "$MTDC_JOBS" O="$out/unit" CC="$CC" tests ||
		return 0
	for suite in text choice tree; do
		status=0
		timeout 120 "$out/unit/test_$suite" > "$out/$suite.tap" 2> "$out/$suite.err" || status=$?
		pass_on $status "$out/$suite.tap" ""
	done
}

unpack_tree "$here/test/expected" "$out/expected"
compiled ctl build_ctl || { end_results; exit; }
set +e
for suite in $wanted; do
	"run_$suite"
done
end_results
