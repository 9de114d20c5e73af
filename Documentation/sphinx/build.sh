#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build.sh DIR: make the site of Documentation in DIR. A warning of Sphinx is an error, and
# so is a link to nowhere.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
[ $# = 1 ] || { echo "usage: build.sh DIR" >&2; exit 2; }

# Anew: of a page that is not read again, nothing is said. One process is fast enough.
sphinx-build -q -E -a -n -W --keep-going -b html -d "$1/.doctrees" "${here%/*}" "$1"
echo "$1/index.html"
