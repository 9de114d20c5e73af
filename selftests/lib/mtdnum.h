/* SPDX-License-Identifier: GPL-2.0 */
/* The number of an MTD by its name. */
#ifndef MTDC_TEST_MTDNUM_H
#define MTDC_TEST_MTDNUM_H

#include <stdio.h>
#include <string.h>

/* Return: -1 without such an MTD. */
static int mtd_num(const char *name)
{
	char line[256], want[80];
	FILE *list = fopen("/proc/mtd", "r");
	int found = -1, n;

	snprintf(want, sizeof(want), "\"%s\"", name);
	while (list && fgets(line, sizeof(line), list))
		if (strstr(line, want) && sscanf(line, "mtd%d:", &n) == 1)
			found = n;
	if (list)
		fclose(list);
	return found;
}

#endif
