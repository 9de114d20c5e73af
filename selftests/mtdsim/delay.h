/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for operations. */
#ifndef SIM_DELAY_H
#define SIM_DELAY_H

#include <linux/types.h>

/**
 * enum sim_delay_mode - how to wait for an operation
 * @SIM_DELAY_NONE: do not wait
 * @SIM_DELAY_BUSY: spin
 * @SIM_DELAY_SLEEP: sleep, or spin for short operations
 * @SIM_DELAY_BATCH: always sleep, once for several short operations
 * @SIM_DELAY_MODES: number of modes
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
 * @mode: how to wait
 * @credit_ns: excess of the last wait, limited to a few microseconds
 * @ready_ns: end of the last operation of a batch
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
