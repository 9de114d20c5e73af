/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compressors, measured by the module itself: a device is attached for a moment, pages are written
 * to it and read back, and its statistics say what they took.
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include "choose.h"
#include "sample.h"

#define MEASURE_ALGORITHMS 4

struct scratch {
	char media[16];			/* the number of an MTD */
	uint64_t bytes;			/* its size */
	bool own;			/* mtdram was loaded for it */
};

bool scratch_make(struct scratch *scratch, const struct sample *sample);
void scratch_remove(const struct scratch *scratch);
bool measure_all(const struct scratch *scratch, const struct sample *sample,
		 struct measured *measured);

#endif
