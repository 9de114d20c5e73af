/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which pages of the space are taken: a bitmap. PURE.
 */
#ifndef MARVIN_SLOTS_H
#define MARVIN_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#define SLOTS_NONE UINT32_MAX

struct slots {
	uint64_t *bits;
	uint32_t pages;
	uint32_t used;
	uint32_t low;			/* there is no free page below */
};

void slots_begin(struct slots *slots, uint64_t *bits, uint32_t pages);
uint32_t slots_take(struct slots *slots, uint32_t pages);
void slots_give(struct slots *slots, uint32_t page, uint32_t pages);
bool slots_has(const struct slots *slots, uint32_t page);
uint32_t slots_run(const struct slots *slots, uint32_t from, uint32_t *pages);

#endif
