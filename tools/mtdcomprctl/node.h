/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file in /dev of a device's disk.
 */
#ifndef NODE_H
#define NODE_H

#include <stdbool.h>
#include <stddef.h>
#include "device.h"

bool node_there(const struct device *device, char *path, size_t size);

#endif
