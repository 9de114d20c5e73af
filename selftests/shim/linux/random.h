/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_RANDOM_H
#define SHIM_LINUX_RANDOM_H

#include <linux/types.h>

u32 get_random_u32(void);
void get_random_bytes(void *to, size_t bytes);

#define wait_for_random_bytes()	0
#define rng_is_initialized()	true

#endif
