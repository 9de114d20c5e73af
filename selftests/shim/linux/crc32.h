/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_CRC32_H
#define SHIM_LINUX_CRC32_H

#include <linux/types.h>

/* As in the kernel: nothing is inverted, neither before nor after. */
static inline u32 crc32_le(u32 crc, const unsigned char *p, size_t len)
{
	unsigned int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

#endif
