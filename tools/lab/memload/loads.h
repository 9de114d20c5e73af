/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loads of memload. Each reads its own options and returns the exit status of the program.
 */
#ifndef MEMLOAD_LOADS_H
#define MEMLOAD_LOADS_H

int load_anon(int argc, char **argv);
int load_files(int argc, char **argv);
int load_pattern(int argc, char **argv);
int load_apps(int argc, char **argv);

#endif
