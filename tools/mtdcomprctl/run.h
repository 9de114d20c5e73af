/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Other programs, where they are there: modprobe, mkswap.
 */
#ifndef RUN_H
#define RUN_H

int run_program(char *const argv[]);

#endif
