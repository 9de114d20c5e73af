#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# document.sh FILE: viewer.js in mutool, which tells each line at once: by the library of stdbuf, so
# that there is no other process.
LD_PRELOAD=/usr/libexec/coreutils/libstdbuf.so _STDBUF_O=L exec mutool run "${0%/*}/viewer.js" "$1"
