#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh [--cocci]: static checks, with one line a tool at the end; exit status 1 if a tool has a
# finding. With --cocci only the last one, which takes some minutes.
#
#   gcc W=1, sparse C=2 with endianness    all modules
#   gcc W=1 without any compressor         the same
#   circles                                files of the module that call each other in a circle
#   checkpatch --strict                    all C files
#   kernel-doc                             the module's comments
#   checkstack                             functions that take over 1 KiB of stack
#   and shellcheck                         all shell scripts
#   and docs                               Documentation: Sphinx, messages, the picture
#   and coccicheck                         the kernel's semantic patches that report
set -eu
. "$(dirname "$0")/../qemu/lib.sh"

# All exceptions, with their reasons, each on a line:
#   TOOL  REGULAR EXPRESSION for the tool's line (file:line: message)  # REASON
# All other lines are findings.
exceptions()
{
	cat <<'END'
checkpatch ^(qemu|tools|selftests/(lib|shim|unit|fuzz))/[^:]*:.*:(PREFER_KERNEL_TYPES|PREFER_DEFINED_ATTRIBUTE_MACRO|ARRAY_SIZE):  # programs have no kernel headers
checkpatch ^include/compat/linux/blkdev.h:[0-9]*: ERROR:COMPLEX_MACRO:  # a part of an initializer
checkpatch ^tools/common/(conf|who)\.h:[0-9]*: [A-Z]*:(COMPLEX_MACRO|MACRO_ARG_REUSE):  # parts of the initializer of a key table
checkpatch ^include/compat/linux/highmem.h:[0-9]*: WARNING:DEPRECATED_API:  # that is what it replaces
checkpatch ^selftests/shim/.*:(CAMELCASE|MACRO_ARG_REUSE):  # stands in for the kernel's own macros
checkpatch ^selftests/shim/.*:(AVOID_BUG|COMPLEX_MACRO|EXPORT_SYMBOL|IS_ENABLED_CONFIG|MACRO_WITH_FLOW_CONTROL|MEMORY_BARRIER|NEW_TYPEDEFS|SPACING|UNSPECIFIED_INT|VOLATILE):  # defines what the tool wants to be used in some way
checkpatch ^tools/lab/bench/(checksum|crypt)-kernel\.h:.*:(CAMELCASE|COMPLEX_MACRO|EXPORT_SYMBOL|IS_ENABLED_CONFIG|MACRO_ARG_PRECEDENCE|MACRO_ARG_REUSE|MULTISTATEMENT_MACRO_USE_DO_WHILE|NEW_TYPEDEFS|SPACING):  # stands in for the kernel's own macros
checkpatch ^selftests/lib/hold\.c:.*:ENOSYS:  # a FUSE server's answer to an operation that it does not have
checkpatch ^selftests/lib/sysfuzz\.c:.*:VOLATILE:  # what a signal handler sees, and memory whose touch is the point
checkpatch ^tools/(common|latd|proswapd|rectifyd)/(test/|fuzz/)?(test_|fuzz_)[^:]*:.*:(LONG_LINE|LONG_LINE_STRING|QUOTED_WHITESPACE_BEFORE_NEWLINE|MACRO_ARG_REUSE|BIT_MACRO|MACRO_WITH_FLOW_CONTROL|COMPLEX_MACRO|NEW_TYPEDEFS):  # texts of the kernel as they are, and tables of cases
checkpatch ^tools/(latd|common|proswapd|rectifyd|lab)/[^:]*:.*:LONG_LINE_STRING:  # a message is one text, to be found by its words
checkpatch ^tools/common/daemon\.c:[0-9]*: WARNING:ENOSYS:  # a kernel without CONFIG_NET
checkpatch ^tools/latd/latd\.c:[0-9]*: WARNING:EMBEDDED_FUNCTION_NAME:  # "begin" is a word of a message
checkpatch ^tools/proswapd/swapouts\.bpf\.c:.*:VOLATILE:  # what BPF and libbpf want of data that both sides see
checkpatch ^tools/proswapd/programs\.h:.*:MACRO_ARG_REUSE:  # a loop, as list_for_each_entry()
checkpatch ^tools/(common|lab/memload|lab/pipeline|proswapd)/[^:]*:.*:(CAMELCASE|BIT_MACRO):  # names of C11, and programs have no BIT()
checkpatch ^tools/(proswapd|rectifyd)/test/[^:]*:.*:(SPACING|TRAILING_STATEMENTS):  # tables of cases, where checkpatch takes a condition for a label
checkpatch ^tools/(common|latd|proswapd|rectifyd|lab)/[^:]*:.*:(SSCANF_TO_KSTRTO|QUOTED_WHITESPACE_BEFORE_NEWLINE|VSPRINTF_SPECIFIER_PX):  # a set of scanf, and programs have no kstrtox
checkpatch ^tools/mtdcomprctl/test/test_[^:]*:.*:(LONG_LINE|LONG_LINE_STRING|QUOTED_WHITESPACE_BEFORE_NEWLINE|AVOID_EXTERNS):  # texts of the kernel as they are, tables of cases, and ld --wrap
checkpatch ^tools/(marvin|lab/marvin-[a-z]*)/[^:]*:.*:(CAMELCASE|BIT_MACRO|COMPARISON_TO_NULL|SPLIT_STRING|EMBEDDED_FUNCTION_NAME):  # names of C11 and Lua, and programs have no BIT()
checkpatch ^tools/(lab/marvin-load/heapkind|marvin/lua/[a-z]*|marvin/libmarvin/(heap|shortage|road_uffd|road|malloc))\.[ch]:.*:(SPACING|LINE_SPACING|NEW_TYPEDEFS):  # it takes _Atomic, _Thread_local and a structure of a newer kernel for something else
checkpatch ^tools/marvin/libmarvin/malloc\.c:.*:(AVOID_EXTERNS|USE_NEGATIVE_ERRNO):  # ld --wrap, and functions of the C library
checkpatch ^tools/marvin/libmarvin/marvin\.h:.*:(BRACES|SPACING|FUNCTION_WITHOUT_ARGS|MACRO_ARG_PRECEDENCE):  # the part in C++
checkpatch ^tools/marvin/libmarvin/(save|store)\.c:.*:ENOSYS:  # a kernel or a file system without the call
checkpatch ^tools/marvin/libmarvin/files\.c:.*:FUNCTION_ARGUMENTS:  # it does not know (void) behind an attribute
checkpatch ^tools/lab/marvin-bench/[^:]*:.*:(AVOID_EXTERNS|VOLATILE):  # ld --wrap, and memory whose touch is the point
checkpatch ^tools/marvin/libmarvin/test/async\.c:.*:(REPEATED_WORD|SPACING|LINE_SPACING):  # a command, _Atomic, and structures of a newer kernel
checkpatch ^tools/marvin/marvind/(reclaim|marvind)\.c:[0-9]*: [A-Z]*:(LONG_LINE_STRING|ENOSYS):  # a message is one text, and a kernel without CONFIG_NET
checkpatch ^tools/marvin/libmarvin/test/[^:]*:.*:(LINE_SPACING|ENOSYS|FUNCTION_ARGUMENTS|COMPLEX_MACRO|MACRO_ARG_REUSE|STATIC_CONST_CHAR_ARRAY):  # tables of cases by macros, filters of system calls, and a name that mkstemp() changes
checkpatch ^tools/marvin/[a-z]*/test/[^:]*:.*:(AVOID_EXTERNS|VOLATILE|QUOTED_WHITESPACE_BEFORE_NEWLINE|LONG_LINE_STRING):  # ld --wrap, and texts of the kernel as they are
checkpatch ^drivers/mtd/mtdcompr/trace\.h:.*:(PARENTHESIS_ALIGNMENT|OPEN_ENDED_LINE|COMPLEX_MACRO):  # the form that TRACE_EVENT wants, see include/trace/events
checkpatch ^include/compat/.*:(LINUX_VERSION_CODE|CONSTANT_COMPARISON):  # the one place for versions, and it takes that for a constant
checkpatch ^include/compat/linux/zstd\.h:.*:(CAMELCASE|NEW_TYPEDEFS):  # the library's names, old and new
checkpatch ^drivers/mtd/mtdcompr/crypt_(test\.c|vectors\.h):.*:(SPLIT_STRING|MISSING_SPACE):  # hexadecimal digits
checkpatch ^drivers/mtd/mtdcompr/comp_(zlib|zstd)\.c:.*:CAMELCASE:  # the libraries' names
checkpatch ^tools/lab/bench/units\.c:.*:CAMELCASE:  # the library's names
END
}

cd "$top"
case $* in
'')		qemu/setup.sh build check ;;
--cocci)	qemu/setup.sh build check cocci ;;
*)		die "usage: check.sh [--cocci]" ;;
esac
MTDC_KERNEL=$(qemu/kernel.sh --source) || exit 1
export MTDC_KERNEL
ksrc=$(kernel KSRC)

mkdir -p "$build/check"
work=$(cd "$build/check" && pwd -P)
rm -f "$work"/*.log

# sources PATTERN...: the files of the checkout with one of these names. Without git, because a
# tarball has none, and new files count, too.
sources()
{
	local name names=()

	for name; do
		names+=(-o -name "$name")
	done
	find . \( -path ./build -o -path ./.git \) -prune -o -type f \
		\( "${names[@]:1}" \) ! -name '*.mod.c' -print |
		sed 's|^\./||' | LC_ALL=C sort
}

scripts()
{
	{
		sources '*.sh'
		# Scripts without the ending.
		find . \( -path ./build -o -path ./.git \) -prune -o \
			-type f -perm -u+x -print0 |
			xargs -r -0 grep -lE '^#!/bin/(ba|da)?sh' |
			sed 's|^\./||'
	} | LC_ALL=C sort -u
}

summary=
failed=0

# report TOOL WHAT: print the findings in TOOL.log without an exception, and add a line to the
# summary.
report()
{
	local tool=$1 what=$2 count

	exceptions | sed -n "s/^$tool  *\(.*[^ ]\)  *# .*/\1/p" > "$work/except"
	if [ -s "$work/except" ]; then
		grep -vE -f "$work/except" "$work/$tool.log" \
			> "$work/$tool.left" || :
	else
		cp "$work/$tool.log" "$work/$tool.left"
	fi
	count=$(grep -c . "$work/$tool.left" || :)
	if [ "$count" = 0 ]; then
		summary="$summary$tool: silent ($what)"$'\n'
	else
		cat "$work/$tool.left"
		summary="$summary$tool: $count lines ($what)"$'\n'
		failed=1
	fi
}

# compile TOOL VARIABLE...: collect make's output about the driver's files, and its last words if it
# failed otherwise.
compile()
{
	local tool=$1 src variables
	shift
	variables=("$@")

	for src in "$top" $test_modules; do
		if [ "$src" = "$top" ]; then
			set -- --out "$work/module" "${variables[@]}"
		else
			set -- --src "$src" --out "$work/$src" "${variables[@]}"
		fi
		"$top/qemu/build.sh" "$@" > "$work/$tool.make" 2>&1 ||
			echo "make $* failed" >> "$work/$tool.make"
		sed "s|$work/module/||g; s|$work/||g" "$work/$tool.make" \
			>> "$work/$tool.log"
	done
}

# circles DIR: the files of the module in DIR that call each other in a circle, one a line
circles()
{
	( cd "$1" && nm -A -g ./*.o ) | awk '
		{ file = $1; sub(/\.o:.*/, "", file); sub(/^\.\//, "", file) }
		file ~ /^mtdcompr/ { next }
		$(NF - 1) == "U" { caller[++n] = file; callee[n] = $NF; next }
		{ home[$NF] = file }
		END {
			for (i = 1; i <= n; i++)
				if (callee[i] in home)
					print caller[i], home[callee[i]]
		}' | sort -u > "$work/calls"
	[ -s "$work/calls" ] || echo "no object in $1"
	tsort "$work/calls" 2>&1 >/dev/null | sed -n 's/^tsort: \([^ ]*\)$/\1/p' | sort -u
}

# semantic PATCH: run it. Some need options of their own.
semantic()
{
	local options

	options=$(sed -n 's|^// *Options: *||p' "$1" | head -n 1)
	# shellcheck disable=SC2086 # a list of words
	timeout 300 spatch -D report --very-quiet --cocci-file "$1" $options -I include \
		-I "$ksrc/include" --dir drivers/mtd/mtdcompr 2> "$work/spatch.err" | grep . ||
		[ "${PIPESTATUS[0]}" = 0 ] || echo "${1##*/}: $(tail -n 1 "$work/spatch.err")"
}

if [ "${1:-}" = --cocci ]; then
	say "coccicheck"
	grep -rl '^virtual report' "$ksrc/scripts/coccinelle" | LC_ALL=C sort > "$work/patches"
	while read -r patch <&3; do
		semantic "$patch"
	done 3< "$work/patches" > "$work/coccicheck.log"
	report coccicheck "$(wc -l < "$work/patches") semantic patches"
	printf '\n%s' "$summary"
	exit $failed
fi

say "W=1, sparse"
# From scratch: files that are up to date are not compiled, and give no warnings.
rm -rf "$work/module" "$work/selftests"
# A Kbuild file marks the directory of a module.
test_modules=$(sources Kbuild | sed -n 's|^\(selftests/.*\)/Kbuild$|\1|p')
compile W=1 W=1
report W=1 "gcc-12, $(kernel KREL)"
compile sparse C=2 CF=-D__CHECK_ENDIAN__
report sparse "C=2 -D__CHECK_ENDIAN__, $(kernel KREL)"
# The decompressors' stacks are the kernel's.
find "$work/module" -name mtdcompr.ko -exec objdump -d {} + |
	perl "$ksrc/scripts/checkstack.pl" x86_64 |
	awk -F '[:[:space:]]+' '$NF + 0 > 1024' > "$work/checkstack.log"
report checkstack "1024 bytes"
circles "$work/module/drivers/mtd/mtdcompr" > "$work/circles.log"
report circles "$(wc -l < "$work/calls") calls between files"
# Each compressor is a file of its own, so all of them off covers each of them.
rm -rf "$work/module" "$work/selftests"
compile none W=1 CONFIG_MTDCOMPR_LZ4=n CONFIG_MTDCOMPR_LZO=n \
	CONFIG_MTDCOMPR_ZLIB=n CONFIG_MTDCOMPR_ZSTD=n
report none "W=1 without any compressor"

say "checkpatch"
sources '*.c' '*.h' > "$work/files"
# --root: checkpatch looks for its word lists and MAINTAINERS there. The one-line form names the
# type of a finding, for the exceptions. GIT_DIR: ask git nothing, because it may be missing or
# refuse the owner.
GIT_DIR=/nonexistent xargs -r -P "$(nproc)" -n 8 -d '\n' perl "$ksrc/scripts/checkpatch.pl" --root="$ksrc" --strict \
	--terse --show-types --no-summary --color=never -f \
	< "$work/files" > "$work/checkpatch.log" 2>&1 || :
report checkpatch "--strict, $(wc -l < "$work/files") files"

say "kernel-doc"
grep '^\(drivers\|include\)/' "$work/files" > "$work/doc" || :
xargs -r -d '\n' perl "$ksrc/scripts/kernel-doc" -none \
	< "$work/doc" > "$work/kernel-doc.log" 2>&1 || :
report kernel-doc "$(wc -l < "$work/doc") files"

say "shellcheck"
scripts > "$work/scripts"
# -x: follow the files that are sourced, as seen from the script.
xargs -r -P "$(nproc)" -n 8 -d '\n' shellcheck -x -P SCRIPTDIR -f gcc \
	< "$work/scripts" > "$work/shellcheck.log" 2>&1 || :
report shellcheck "$(wc -l < "$work/scripts") scripts"

say "docs"
Documentation/sphinx/check.sh "$work/html" > "$work/docs.log" || [ -s "$work/docs.log" ] ||
	echo "Documentation/sphinx/check.sh failed" > "$work/docs.log"
report docs "$(sources '*.rst' | grep -c '^Documentation/') pages"

printf '\n%s' "$summary"
exit $failed
