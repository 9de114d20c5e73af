/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MARVIND_CHECK_H
#define MARVIND_CHECK_H

#include "config.h"

int check_print(const struct config *config);

#endif
