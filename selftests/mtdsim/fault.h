/* SPDX-License-Identifier: GPL-2.0 */
/* Faults and their frequency. */
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

#include <linux/types.h>

/**
 * enum sim_fault_kind - kinds of faults
 * @SIM_FAIL_READ: a read fails
 * @SIM_FAIL_PROGRAM: a program fails half-way
 * @SIM_NO_MEMORY: a program fails with -ENOMEM and stores nothing
 * @SIM_FAIL_ERASE: an erase fails and leaves the block unchanged
 * @SIM_TORN_PROGRAM: the power goes off in the middle of a program
 * @SIM_TORN_ERASE: the power goes off in the middle of an erase
 * @SIM_POWER_CUT: the power goes off before an operation of any kind
 * @SIM_FLIP: a read has bit flips that are corrected; a wrong bit on media without ECC
 * @SIM_ECC_FAIL: a read has more bit flips than can be corrected
 * @SIM_CORRECTED: a read has bit flips that are corrected, on any medium
 * @SIM_SHORT_READ: a read request stops early and reports no error
 * @SIM_SHORT_PROGRAM: a program request stops early and reports no error
 * @SIM_LOST_PROGRAM: a program does nothing and reports no error
 * @SIM_PARTIAL_PROGRAM: a program does a part and reports no error
 * @SIM_LOST_ERASE: an erase does nothing and reports no error
 * @SIM_BREAK: the block of a program or erase breaks
 * @SIM_FAULTS: number of kinds
 */
enum sim_fault_kind {
	SIM_FAIL_READ,
	SIM_FAIL_PROGRAM,
	SIM_NO_MEMORY,
	SIM_FAIL_ERASE,
	SIM_TORN_PROGRAM,
	SIM_TORN_ERASE,
	SIM_POWER_CUT,
	SIM_FLIP,
	SIM_ECC_FAIL,
	SIM_CORRECTED,
	SIM_SHORT_READ,
	SIM_SHORT_PROGRAM,
	SIM_LOST_PROGRAM,
	SIM_PARTIAL_PROGRAM,
	SIM_LOST_ERASE,
	SIM_BREAK,
	SIM_FAULTS
};

/**
 * enum sim_fault_mode - how often a fault happens
 * @SIM_FAULT_OFF: never
 * @SIM_FAULT_ONCE: once, at operation @n
 * @SIM_FAULT_EVERY: at every @n-th operation
 * @SIM_FAULT_RANDOM: at one of @n operations, on average
 */
enum sim_fault_mode {
	SIM_FAULT_OFF,
	SIM_FAULT_ONCE,
	SIM_FAULT_EVERY,
	SIM_FAULT_RANDOM
};

/**
 * struct sim_fault - the setting of one kind of fault
 * @mode: how often it happens
 * @n: the number for @mode
 * @left: operations until the next fault, including it
 * @hits: number of faults so far
 */
struct sim_fault {
	enum sim_fault_mode mode;
	u32 n;
	u32 left;
	u32 hits;
};

/**
 * struct sim_random - a stream of random numbers that depends on a seed
 * @state: its state
 */
struct sim_random {
	u64 state;
};

void sim_random_seed(struct sim_random *random, u64 seed);
u32 sim_random_below(struct sim_random *random, u32 n);
int sim_fault_set(struct sim_fault *fault, const char *text);
int sim_fault_print(const struct sim_fault *fault, char *text, size_t size);
bool sim_fault_due(struct sim_fault *fault, struct sim_random *random);

#endif /* SIM_FAULT_H */
