/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A number that stands for a result: any other result gives another one, most likely. PURE.
 */
#ifndef MEMLOAD_CHECKSUM_H
#define MEMLOAD_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define CHECKSUM_BEGIN UINT64_C(0xcbf29ce484222325)

uint64_t checksum_add(uint64_t sum, uint32_t number);
uint64_t checksum_bytes(uint64_t sum, const void *bytes, size_t size);

#endif
