/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_SHARE_H
#define COMMON_SHARE_H

#include <sys/types.h>

int share_yields(const uid_t *users, unsigned int n, uid_t newcomer);

#endif
