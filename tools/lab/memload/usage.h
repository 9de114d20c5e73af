/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What memload says of itself.
 */
#ifndef MEMLOAD_USAGE_H
#define MEMLOAD_USAGE_H

__attribute__((noreturn)) void usage_help(void);
__attribute__((noreturn)) void usage_version(void);

#endif
