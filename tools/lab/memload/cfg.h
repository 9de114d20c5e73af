/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of a network of darknet. PURE.
 */
#ifndef MEMLOAD_CFG_H
#define MEMLOAD_CFG_H

#include <stddef.h>

int cfg_set_side(const char *text, unsigned int side, char *buf, size_t size);

#endif
