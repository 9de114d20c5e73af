/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Questions to the kernel and the system, for --check. See probe.h for the functions' form.
 */
#ifndef LATD_CHECK_H
#define LATD_CHECK_H

#include "config.h"

void check_names(const struct config *config,
		 void (*say)(const char *name, const char *like, pid_t pid));
bool check_trigger(const void *config, char *text);
bool check_groups(const void *config, char *text);
bool check_pidfd(const void *config, char *text);
bool check_processes(const void *config, char *text);

#endif
