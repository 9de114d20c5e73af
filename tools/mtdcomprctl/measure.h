/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measure compressors in the module itself: attach a device for a moment, write pages and read
 * them back; its statistics give times and sizes.
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
	bool own;			/* we loaded mtdram */
};

bool scratch_make(struct scratch *scratch, const struct sample *sample);
void scratch_remove(const struct scratch *scratch);
bool measure_all(const struct scratch *scratch, const struct sample *sample,
		 struct measured *measured);

#endif
