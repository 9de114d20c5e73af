/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_BYTEORDER_H
#define SHIM_ASM_BYTEORDER_H

#include <endian.h>

#define cpu_to_le32(n)	htole32(n)
#define le32_to_cpu(n)	le32toh(n)

#endif
