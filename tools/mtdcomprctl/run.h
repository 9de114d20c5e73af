/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run other programs, if installed: modprobe, mkswap.
 */
#ifndef RUN_H
#define RUN_H

int run_program(char *const argv[]);

#endif
