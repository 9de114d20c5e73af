#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# source-hash.sh: print a name for the tested sources: the hash of all files that a test may depend on.
# Without the documentation, and without git, which a tarball lacks.
set -eu
cd "$(dirname "$0")/.."
find Kbuild Makefile drivers include qemu selftests tools -type f ! -name '*.o' ! -name '*.ko' \
	! -name '.*' ! -name '*.mod*' ! -name '*.pyc' -print0 | LC_ALL=C sort -z |
	xargs -0 sha256sum | sha256sum | cut -c 1-12
