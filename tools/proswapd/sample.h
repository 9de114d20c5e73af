/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Without pressure nothing goes out by itself, and so nothing shows a period. A sample of a
 * program's chunks that goes out on purpose does: each comes back when it is needed. PURE.
 */
#ifndef PROSWAPD_SAMPLE_H
#define PROSWAPD_SAMPLE_H

#include "chunk.h"

/* From look to look of a program whose period is not known. */
#define SAMPLE_TICK_MS 100

bool sample_time(uint32_t now_ms);
bool sample_has(uint32_t nr, uint32_t n_chunks, uint32_t now_ms);
bool sample_push(const struct chunk *chunk, uint32_t now_ms);
bool sample_shows(const struct chunk_news *news);

#endif
