/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A look at eight words of a page, which is fast enough for a time that is measured. The words tell
 * the page, its seed and its version. PURE.
 */
#ifndef MEMLOAD_SAMPLE_H
#define MEMLOAD_SAMPLE_H

#include <stdint.h>
#include "contents.h"

int sample_check(const struct contents *contents, uint64_t nr, uint64_t version, uint8_t stamp,
		 const uint8_t *page, struct contents_wrong *wrong);

#endif
