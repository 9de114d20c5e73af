/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROSWAPD_CHECK_H
#define PROSWAPD_CHECK_H

#include "config.h"

int check_print(const struct config *config);

#endif
