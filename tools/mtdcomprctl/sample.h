/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pages of the programs that run, as the kernel would swap them out.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stddef.h>

struct sample {
	unsigned char *pages;		/* page-aligned */
	unsigned int n;
	unsigned int most;
	size_t page_bytes;
};

int sample_take(struct sample *sample, unsigned int want);
void sample_free(struct sample *sample);

#endif
