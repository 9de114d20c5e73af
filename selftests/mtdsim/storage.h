/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of the media. */
#ifndef SIM_STORAGE_H
#define SIM_STORAGE_H

#include <linux/types.h>

#include "chip.h"

/**
 * struct sim_storage - the memory of a device
 * @cells: data, then out-of-band bytes
 * @base: physical address, if @bytes is not 0
 * @bytes: of the reserved region at @base; 0 if @cells are from vmalloc()
 */
struct sim_storage {
	void *cells;
	phys_addr_t base;
	size_t bytes;
};

int sim_storage_get(struct sim_storage *storage, struct sim_chip *chip,
		    const struct sim_config *config, const char **reason);
void sim_storage_put(struct sim_storage *storage, struct sim_chip *chip);

#endif /* SIM_STORAGE_H */
