/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_BYTEORDER_H
#define SHIM_ASM_BYTEORDER_H

#include <endian.h>

/* In the kernel one of the two is defined, in the C library both are. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#undef __BIG_ENDIAN
#else
#undef __LITTLE_ENDIAN
#endif

#define cpu_to_le32(n)	htole32(n)
#define le32_to_cpu(n)	le32toh(n)

#endif
