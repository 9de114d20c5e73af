#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh DIR: what is wrong with Documentation, on standard output, one line a finding;
# exit status 1 if something is. Do fix.rst and fix-programs.rst explain the messages? Have the
# charts the figures of the pages, and is no picture older than its source? Is a page or a paragraph
# too long? Does Sphinx make the site, in DIR, without a warning? Without Sphinx, that is left out,
# and standard error says so.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
[ $# = 1 ] || { echo "usage: check.sh DIR" >&2; exit 2; }
failed=0

# lengths PAGE...: a page of over 250 lines, or a paragraph of over 8, which is neither list, table
# nor code, gets read by nobody
lengths()
{
	awk '
		function paragraph() {
			if (lines > 8 && !other)
				print file ":" last ": a paragraph of " lines " lines, more than 8"
			lines = other = 0
		}
		function page() {
			paragraph()
			if (last > 250)
				print file ": " last " lines, more than 250"
		}
		FNR == 1 && NR > 1 { page() }
		{ file = FILENAME; last = FNR }
		/^[ \t]*$/ { paragraph(); next }
		{ lines++ }
		/^[ \t]|^(=+ +=|[+]-|\.\. |[*] |- |[0-9]+\. |:)/ { other = 1 }
		END { page() }' "$@"
}

cd "$top"
mapfile -t pages < <(find Documentation -name '*.rst' | LC_ALL=C sort)
long=$(lengths "${pages[@]}")
[ -z "$long" ] || { printf '%s\n' "$long"; failed=1; }
"$here/messages.py" || failed=1
"$top/tools/lab/bench/gain.py" --check 2>&1 || failed=1
"$top/Documentation/pictures/charts.py" --check 2>&1 || failed=1
"$top/Documentation/pictures/draw.sh" --check || failed=1
if ! command -v sphinx-build > /dev/null ||
		! /usr/bin/python3 -c 'import sphinx_rtd_theme' 2> /dev/null; then
	echo "docs: the site is skipped: no Sphinx or theme, see qemu/setup.sh docs" >&2
elif ! said=$("$here/build.sh" "$1" 2>&1); then
	failed=1
	printf '%s\n' "${said//"$top/"/}"
fi
exit $failed
