// SPDX-License-Identifier: GPL-2.0
/*
 * Counting down to faults.
 *
 * This file knows how often a fault happens, but not its effect. The same seed and the same
 * operations give the same faults.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/string.h>

#include "fault.h"

static const char * const mode_names[] = {
	[SIM_FAULT_OFF] = "off",
	[SIM_FAULT_ONCE] = "once",
	[SIM_FAULT_EVERY] = "every",
	[SIM_FAULT_RANDOM] = "random",
};

/**
 * sim_random_seed() - begin a stream
 * @random: the stream
 * @seed: any number
 *
 * Context: any.
 */
void sim_random_seed(struct sim_random *random, u64 seed)
{
	/* Neighbouring seeds get unrelated streams, and never 0. */
	seed = (seed + 1) * 0x9e3779b97f4a7c15ULL;
	seed = (seed ^ seed >> 32) * 0xd6e8feb86659fd93ULL;
	random->state = (seed ^ seed >> 32) | 1;
}

/**
 * sim_random_below() - a random number
 * @random: the stream
 * @n: not 0
 *
 * Context: the caller serialises the use of the stream.
 * Return: a number below @n.
 */
u32 sim_random_below(struct sim_random *random, u32 n)
{
	random->state ^= random->state << 13;
	random->state ^= random->state >> 7;
	random->state ^= random->state << 17;
	return (random->state >> 32) * n >> 32;
}

/**
 * sim_fault_set() - set how often a fault happens
 * @fault: the fault
 * @text: "off", "N", "every N" or "random N"
 *
 * Context: the caller serialises the use of the fault.
 * Return: 0, or -EINVAL for any other text; then nothing has changed.
 */
int sim_fault_set(struct sim_fault *fault, const char *text)
{
	enum sim_fault_mode mode = SIM_FAULT_ONCE;
	u32 n = 0;
	size_t len;

	if (!strcmp(text, "off")) {
		mode = SIM_FAULT_OFF;
	} else {
		for (; mode <= SIM_FAULT_RANDOM; mode++) {
			len = strlen(mode_names[mode]);
			if (!strncmp(text, mode_names[mode], len) &&
			    text[len] == ' ')
				break;
		}
		if (mode > SIM_FAULT_RANDOM)
			mode = SIM_FAULT_ONCE;
		else
			text += len + 1;
		if (kstrtou32(text, 10, &n) || !n)
			return -EINVAL;
	}
	fault->mode = mode;
	fault->n = n;
	fault->left = n;
	return 0;
}

/**
 * sim_fault_print() - say how often a fault happens
 * @fault: the fault
 * @text: where to
 * @size: bytes there
 *
 * Context: the caller serialises the use of the fault.
 * Return: length of the text.
 */
int sim_fault_print(const struct sim_fault *fault, char *text, size_t size)
{
	const char *name = mode_names[fault->mode];

	switch (fault->mode) {
	case SIM_FAULT_ONCE:
		return scnprintf(text, size, "%s %u hits %u\n", name,
				 fault->left, fault->hits);
	case SIM_FAULT_EVERY:
		return scnprintf(text, size, "%s %u next %u hits %u\n", name,
				 fault->n, fault->left, fault->hits);
	case SIM_FAULT_RANDOM:
		return scnprintf(text, size, "%s %u hits %u\n", name,
				 fault->n, fault->hits);
	default:
		return scnprintf(text, size, "%s hits %u\n", name,
				 fault->hits);
	}
}

/**
 * sim_fault_due() - does the fault happen at this operation?
 * @fault: the fault
 * @random: the stream of random numbers
 *
 * Context: the caller serialises the use of both. Call it once an operation.
 * Return: true if it happens.
 */
bool sim_fault_due(struct sim_fault *fault, struct sim_random *random)
{
	switch (fault->mode) {
	case SIM_FAULT_ONCE:
		if (--fault->left)
			return false;
		fault->mode = SIM_FAULT_OFF;
		break;
	case SIM_FAULT_EVERY:
		if (--fault->left)
			return false;
		fault->left = fault->n;
		break;
	case SIM_FAULT_RANDOM:
		if (sim_random_below(random, fault->n))
			return false;
		break;
	default:
		return false;
	}
	fault->hits++;
	return true;
}
