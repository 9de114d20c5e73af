/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The header of a swap area, for systems without mkswap. PURE.
 */
#ifndef SIGNATURE_H
#define SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

int signature_make(unsigned char *page, size_t page_bytes, uint64_t device_bytes);

#endif
