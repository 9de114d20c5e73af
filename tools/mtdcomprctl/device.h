/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The attached devices: their statistics and users.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stdint.h>
#include "figure.h"
#include "parse.h"
#include <linux/mtdcompr.h>

struct device {
	char name[MTDCOMPR_NAME_MAX + 1];	/* of its MTD and its file in /proc/mtdcompr */
	char disk[32];				/* its block device, or "" */
	uint64_t mtd;				/* number of its MTD */
	char text[FIGURE_TEXT];			/* statistics */
	bool swapped;				/* swap on its disk or on mtdblock */
	struct swap_line swap;
	char mount[64];				/* where it is mounted, "[SWAP]", or "" */
};

/* Buffer size for device_file(). */
#define DEVICE_FILE 40

struct devices {
	unsigned int n;
	struct device of[MTDCOMPR_DEVICES_MAX];
};

int devices_read(struct devices *devices);
const struct device *devices_find(const struct devices *devices, const char *what);
bool device_read(struct device *device, const char *name);
bool device_loaded(void);
const char *device_file(const struct device *device, char *text);
bool device_number(const char *text, const char *prefix, uint64_t *number);

#endif
