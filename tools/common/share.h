/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables with room for some processes: one user cannot take the places of all other users. PURE.
 */
#ifndef POLICY_SHARE_H
#define POLICY_SHARE_H

#include <sys/types.h>

int share_yields(const uid_t *users, unsigned int n, uid_t newcomer);

#endif
