/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Print the wear of the media as bars.
 */
#ifndef WEAR_H
#define WEAR_H

#include <stdint.h>
#include <stdio.h>
#include "device.h"

void wear_print(FILE *out, const struct device *device, uint64_t endurance);

#endif
