#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tree.sh: a name for what is tested: the hash of all files that a test may depend on. Not
# of the documentation, and not by git, which a tarball has not.
set -eu
cd "$(dirname "$0")/.."
find Kbuild Makefile drivers include qemu selftests tools -type f ! -name '*.o' ! -name '*.ko' \
	! -name '.*' ! -name '*.mod*' ! -name '*.pyc' -print0 | LC_ALL=C sort -z |
	xargs -0 sha256sum | sha256sum | cut -c 1-12
