// SPDX-License-Identifier: GPL-2.0

#include "need.h"

/* Programs that wait, all of them, are worse off by so much than some of them. */
#define FULL_WEIGHT 4

static uint64_t below_budget(const struct config *config, const struct need *need)
{
	uint64_t budget = need->total / 1000 * config->available;

	return need->available < budget ? budget - need->available : 0;
}

static bool is_pressed(const struct config *config, const struct need *need)
{
	uint64_t us = need->some_us;

	if (!config->pressure || !need->passed_us)
		return false;
	if (need->full_us > us / FULL_WEIGHT)
		us = need->full_us > UINT64_MAX / FULL_WEIGHT ? UINT64_MAX :
								need->full_us * FULL_WEIGHT;
	return us / config->pressure >= need->passed_us / 1000;
}

/**
 * need_bytes() - how much is to be taken back now
 * @config: what is wanted
 * @need: what the system says
 *
 * What lacks to the budget; while programs wait for memory, as much as is allowed.
 *
 * Return: bytes, at most config->take; 0: memory is plenty.
 */
uint64_t need_bytes(const struct config *config, const struct need *need)
{
	uint64_t bytes;

	if (config->mode != MODE_AUTO)
		return 0;
	if (is_pressed(config, need))
		return config->take;
	bytes = below_budget(config, need);
	return bytes < config->take ? bytes : config->take;
}

/**
 * need_before() - is one program taken from before another one?
 * @background: is it in the background?
 * @idle_ms: since it used something last that was given to the kernel
 * @other_background: the same of the other one
 * @other_idle_ms: the same of the other one
 *
 * Those in the background first, and of these the coldest.
 */
bool need_before(bool background, uint32_t idle_ms, bool other_background, uint32_t other_idle_ms)
{
	if (background != other_background)
		return background;
	return idle_ms > other_idle_ms;
}
