/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LATD_CHECK_H
#define LATD_CHECK_H

#include "config.h"

void check_names(const struct config *config,
		 void (*say)(const char *name, const char *like, pid_t pid));
int check_print(const struct config *config);

#endif
