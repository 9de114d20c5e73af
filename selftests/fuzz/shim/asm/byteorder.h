/* SPDX-License-Identifier: GPL-2.0 */
/* In the kernel one of the two is defined, in the C library both are. */
#ifndef SHIM_FUZZ_BYTEORDER_H
#define SHIM_FUZZ_BYTEORDER_H

#include_next <asm/byteorder.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#undef __BIG_ENDIAN
#else
#undef __LITTLE_ENDIAN
#endif

#endif
