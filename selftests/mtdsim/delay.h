/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Letting time pass.
 */
#ifndef SIM_DELAY_H
#define SIM_DELAY_H

#include <linux/types.h>

/**
 * enum sim_delay_mode - how
 * @SIM_DELAY_NONE: not at all
 * @SIM_DELAY_BUSY: the processor waits for the chip
 * @SIM_DELAY_SLEEP: it does something else, if it is long enough
 * @SIM_DELAY_BATCH: it always does something else; short operations are slept off together
 * @SIM_DELAY_MODES: their number
 */
enum sim_delay_mode {
	SIM_DELAY_NONE,
	SIM_DELAY_BUSY,
	SIM_DELAY_SLEEP,
	SIM_DELAY_BATCH,
	SIM_DELAY_MODES
};

/**
 * struct sim_delay - the time of a device
 * @mode: how it passes
 * @credit_ns: what was waited too long before, a little at most
 * @ready_ns: when the last operation of a batch is over
 */
struct sim_delay {
	enum sim_delay_mode mode;
	u32 credit_ns;
	u64 ready_ns;
};

int sim_delay_set(struct sim_delay *delay, const char *text);
const char *sim_delay_name(const struct sim_delay *delay);
u64 sim_delay_now(void);
void sim_delay_until(struct sim_delay *delay, u64 begun, u64 cost_ns);

#endif /* SIM_DELAY_H */
