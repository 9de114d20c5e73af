#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh DIR: what is wrong with Documentation, on standard output, one line a finding;
# exit status 1 if something is. Do fix.rst and fix-programs.rst explain the messages? Have the
# charts the figures of the pages, and is no picture older than its source? Does Sphinx make the
# site, in DIR, without a warning? Without Sphinx, that is left out, and standard error says so.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
top=${here%/*/*}
[ $# = 1 ] || { echo "usage: check.sh DIR" >&2; exit 2; }
failed=0

"$here/messages.py" || failed=1
"$top/tools/lab/bench/gain.py" --check 2>&1 || failed=1
"$top/tools/lab/report/draw.py" --check 2>&1 || failed=1
"$top/Documentation/pictures/draw.sh" --check || failed=1
if ! command -v sphinx-build > /dev/null ||
		! /usr/bin/python3 -c 'import sphinx_rtd_theme' 2> /dev/null; then
	echo "docs: the site is skipped: no Sphinx or theme, see qemu/setup.sh docs" >&2
elif ! said=$("$here/build.sh" "$1" 2>&1); then
	failed=1
	printf '%s\n' "${said//"$top/"/}"
fi
exit $failed
