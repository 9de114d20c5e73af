#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# document.sh FILE: run viewer.js in mutool with line-buffered output. It preloads stdbuf's library
# itself, to avoid another process.
LD_PRELOAD=/usr/libexec/coreutils/libstdbuf.so _STDBUF_O=L exec mutool run "${0%/*}/viewer.js" "$1"
