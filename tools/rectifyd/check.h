/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECTIFYD_CHECK_H
#define RECTIFYD_CHECK_H

#include "config.h"

bool check_told(const struct config *config);
int check_print(const struct config *config);

#endif
