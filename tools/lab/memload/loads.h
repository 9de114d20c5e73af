/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The loads. Each one runs to its end and gives the program's status.
 */
#ifndef MEMLOAD_LOADS_H
#define MEMLOAD_LOADS_H

#include "loadopt.h"

int load_anon(const struct loadopt *options);
int load_files(const struct loadopt *options);
int load_apps(const struct loadopt *options);
int load_pattern(const struct loadopt *options);

#endif
